// Follows one run: its events are drawn as they come.
const STAGES = ["question", "search", "hypotheses", "judgement", "report", "done"];
const ENDS = { run_completed: "completed", run_failed: "failed", run_cancelled: "cancelled" };
const AGENTS = {
  SearchAgent: "Search",
  HypothesisAgent: "Mechanism hypotheses",
  JudgeAgent: "Judgement",
  ReportAgent: "Report",
};
const MARKS = {
  data: ["✓", "found"],
  empty: ["○", "found nothing"],
  degraded: ["!", "could be read in part"],
  unavailable: ["✕", "could not be read"],
};
const FIRST_MS = 700;
const WAITING_MS = 2000;
const CLEAR_MS = 300;
let stream = null;
let current = null;
let own = false;
let isPrivate = false;
let timing = null;
let seen = null;

function close() {
  stream?.close();
  stream = null;
  clearInterval(timing);
  clearTimeout(seen?.asking);
  clearTimeout(seen?.clearing);
}

function status(word) {
  $(".pill").textContent = word;
  $(".live").dataset.status = word;
}

// What its owner has asked of it is told up to its end, also while it waits for its turn.
function waits(text) {
  tell(".waiting", seen.wish || text);
}

function clock() {
  if (!seen.first) return;
  const waited = seen.ended ? 0 : Date.now() + seen.ahead - seen.last;
  const seconds = Math.max(0, Math.round((seen.last - seen.first + waited) / 1000));
  $(".clock").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function stages(stage) {
  const at = STAGES.indexOf(stage);
  for (const item of element.querySelectorAll(".stages li")) {
    const place = STAGES.indexOf(item.dataset.stage);
    // A later round goes back to the search, but what was reached stays marked.
    if (place < at) item.classList.add("reached");
    item.classList.toggle("now", place === at);
    if (place === at) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
}

function count(event) {
  if (event.type === "source_searched") {
    seen.queries += 1;
    seen.records += event.new;
  } else if (event.type === "evidence_processed" || event.type === "facts_mapped") {
    seen.statements += event.facts_located;
  } else if (event.type === "hypotheses_proposed") {
    seen.chains = event.chains.length;
  } else if (event.type === "budget_planned") {
    seen.estimate = event.estimate.cost_usd;
  } else if (event.type === "judgement_made") {
    seen.spent = event.spent;
  }
  const shown = [
    [seen.queries, "queries"],
    [seen.records, "records"],
    [seen.statements, "findings"],
    [seen.chains, "mechanism chains"],
    ...cost(),
  ];
  $(".counts").replaceChildren(
    ...shown.filter(([n]) => n).map(([n, what]) => {
      const item = made("span");
      item.append(made("b", "", n.toLocaleString("en")), ` ${what}`);
      return item;
    }),
  );
}

// What the model took so far, in dollars where its price is known.
function cost() {
  const { spent, estimate } = seen;
  if (!spent) return [];
  const tokens = spent.input_tokens + spent.output_tokens;
  const dollars = (usd) => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
  const about = estimate === null ? "" : `of ${dollars(estimate)} estimated`;
  return [
    [spent.calls, "model calls"],
    [tokens, "tokens"],
    spent.cost_usd === null ? ["price", "unknown"] : [dollars(spent.cost_usd), about],
    [spent.unanswered, "unanswered requests"],
  ];
}

// A line of the tree; one that opens holds a list of further ones.
function line({ kind, mark, title, note = "", opens = false }) {
  const item = made("li", kind);
  const row = made(opens ? "summary" : "div", "row");
  const sign = made("span", "mark", mark[0]);
  if (mark[1]) {
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", mark[1]);
  }
  const text = made("span", "text");
  text.append(title, " ", made("span", "note", note));
  row.append(sign, text, made("span", "took"));
  if (!opens) {
    item.append(row);
    return item;
  }
  const folds = made("details");
  folds.open = opens === "open";
  folds.append(row, made("ul"));
  item.append(folds);
  return item;
}

function took(item, seconds) {
  if (seconds != null) item.querySelector(".took").textContent = `${seconds.toFixed(1)} s`;
}

function list() {
  const inner = seen.step ?? seen.round;
  return inner ? inner.item.querySelector("ul") : $(".log > ul");
}

function begin(item, at) {
  list().append(item);
  return { item, at, queries: 0, records: 0, failed: 0 };
}

// The end of a step, or of a round with the step that is under way in it.
function end(what, at) {
  const open = seen[what];
  if (!open) return;
  if (what === "round") end("step", at);
  const { item, queries, records, failed } = open;
  const mark = item.querySelector(".mark");
  mark.textContent = failed ? "!" : "✓";
  mark.setAttribute("aria-label", failed ? "done, with errors" : "done");
  const told = [
    queries && `${queries} ${queries === 1 ? "query" : "queries"}`,
    queries && `${records} new records`,
    failed && `${failed} not read`,
  ];
  const came = queries ? told.filter(Boolean).join(" · ") : open.told;
  if (came) item.querySelector(".note").textContent = came;
  took(item, (at - open.at) / 1000);
  // What went wrong stays in sight.
  if (what === "step") item.querySelector("details").open = failed > 0;
  seen[what] = null;
  if (what === "step" && seen.round) {
    for (const name of ["queries", "records", "failed"]) seen.round[name] += open[name];
  }
}

const UNDER_WAY = ["", "under way"];

function round(number, at) {
  if (seen.round?.number === number) return;
  end("round", at);
  seen.rounds = number;
  const item = line({ kind: "round", mark: UNDER_WAY, title: `Round ${number}`, opens: "open" });
  seen.round = { ...begin(item, at), number };
}

function step(title, note, at, kind) {
  end("step", at);
  seen.step = begin(line({ kind, mark: UNDER_WAY, title, note, opens: "open" }), at);
}

function shortened(text) {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

function searched(event, text) {
  const found = event.outcome === "data" || event.outcome === "degraded";
  const of = event.total > event.identified ? ` of ${event.total.toLocaleString("en")}` : "";
  const kept = event.cached ? ", kept from an earlier search" : "";
  const [, words] = MARKS[event.outcome] ?? ["", event.outcome];
  const note = found ? `${event.identified}${of} records, ${event.new} new${kept}` : words;
  const item = line({
    kind: `source_searched ${event.outcome}`,
    mark: MARKS[event.outcome] ?? ["·", event.outcome],
    title: `${event.source} · ${shortened(event.query_as_run || event.query)}`,
    note,
    opens: event.query_as_run ? "closed" : false,
  });
  if (event.query_as_run) {
    const asked = made("li", "asked", "Asked as: ");
    asked.append(made("code", "", event.query_as_run));
    item.querySelector("ul").append(asked);
  }
  took(item, event.seconds);
  if (seen.step) {
    seen.step.queries += 1;
    seen.step.records += event.new;
    seen.step.failed += event.outcome === "unavailable";
  }
  list().append(item);
}

// The team names its rounds; the loop of a free question is known by its searches and checks.
function place(event, at) {
  if (event.type === "agent_called") {
    if (event.agent === "ReportAgent") end("round", at);
    else round(event.iteration, at);
    step(AGENTS[event.agent] ?? event.agent, event.instruction, at, event.type);
    return true;
  }
  if (event.type === "source_searched") {
    if (!seen.step) {
      round(seen.rounds + 1, at);
      step("Search", "", at, "searching");
    }
    return false;
  }
  if (event.type === "completeness_checked") end("step", at);
  return false;
}

function entry(logged, at) {
  const { event } = logged;
  if (place(event, at)) return;
  if (event.type === "source_searched") return searched(event);
  if (ENDS[event.type]) end("round", at);
  if (ENDS[event.type]) end("step", at);
  const bad = event.type === "run_failed" || event.type === "notice";
  const mark = bad ? ["!", "note"] : ENDS[event.type] === "cancelled" ? ["■", ""] : ["✓", ""];
  if (seen.step && event.type !== "notice") seen.step.told = logged.text;
  list().append(line({ kind: event.type, mark, title: logged.text }));
  if (event.type === "completeness_checked") end("round", at);
}

function draw(logged) {
  const { event } = logged;
  const at = Date.parse(logged.at);
  if (!seen.first) {
    status("running");
    waits("");
    runsChanged();
  }
  seen.first ??= at;
  seen.last = at;
  // How far the server's clock is ahead of this one.
  seen.ahead = Date.parse(logged.now) - Date.now();
  seen.seq = logged.seq;
  count(event);
  // A run that failed or was stopped stays at the stage that it had reached.
  if (!ENDS[event.type] || event.type === "run_completed") stages(logged.stage);
  const log = $(".log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  entry(logged, at);
  // Whoever scrolled up reads there.
  if (atEnd) log.scrollTop = log.scrollHeight;
  if (ENDS[event.type]) finish(event);
}

function finish(event) {
  seen.ended = true;
  seen.error = event.error;
  close();
  clock();
  status(ENDS[event.type]);
  tell(".waiting", "");
  $(".stay").hidden = true;
  if (event.type === "run_failed") tell(".problem", `${event.message} ${event.advice}`.trim());
  $(".steps").open = event.type !== "run_completed";
  acts();
  trigger("finished");
  runsChanged();
}

function runsChanged() {
  window.dispatchEvent(new CustomEvent("deepcritical:runs"));
}

async function lost() {
  status("reconnecting");
  // The browser itself tries again, unless the answer was an error.
  if (stream?.readyState !== EventSource.CLOSED) return;
  const id = current;
  const answer = await fetch(path(id)).catch(() => null);
  if (id !== current) return;
  if (answer?.status === 404) {
    close();
    status("lost");
    acts();
    tell(".problem", "This run cannot be followed: the server does not know it (any more). Ask the question again.");
  } else {
    // Of a run that has ended, the server may have fewer events than were shown here: all are read anew.
    const anew = answer?.ok && (await answer.json()).ended;
    const question = $(".question").textContent;
    const on = () => (anew ? open({ id, question, own, private: isPrivate }) : follow());
    setTimeout(() => id === current && !document.hidden && on(), 3000);
  }
}

function path(id) {
  return `/api/runs/${encodeURIComponent(id)}`;
}

function going() {
  status(seen.first ? "running" : $(".waiting").hidden ? "starting" : "waiting");
}

function follow() {
  close();
  stream = new EventSource(`${path(current)}/events?after=${seen.seq}`);
  stream.onopen = going;
  stream.onmessage = (message) => draw(JSON.parse(message.data));
  stream.onerror = lost;
  timing = setInterval(clock, 1000);
  if (!seen.first) seen.asking = setTimeout(queue, FIRST_MS);
}

// A run without a first event waits for its turn; the server says how many are before it.
async function queue() {
  const id = current;
  const answer = await fetch(path(id)).catch(() => null);
  const run = answer?.ok ? await answer.json() : null;
  if (id !== current || seen.first) return;
  const at = run?.queue_position;
  const why = run?.no_worker ? "No worker is there: it begins when one is started." : "Other runs are under way.";
  waits(at ? `Waiting for its turn: number ${at} in the queue. ${why}` : "");
  if (stream) going();
  seen.asking = setTimeout(queue, WAITING_MS);
}

// What its owner can do with the run as it stands.
function acts() {
  const word = $(".live").dataset.status;
  // A question that was not understood is not understood again: it is to be worded anew.
  const stopped = (word === "failed" && seen.error !== "QuestionError") || word === "cancelled";
  for (const button of element.querySelectorAll("[data-act]")) {
    const does = button.dataset.act;
    const fits = does === "share" ? isPrivate : does === "resume" ? stopped : !seen.ended;
    button.hidden = !own || word === "lost" || !fits;
    button.disabled = false;
  }
  $(".acts").hidden = ![...element.querySelectorAll("[data-act]")].some((button) => !button.hidden);
}

async function act(button) {
  const id = current;
  button.disabled = true;
  const answer = await fetch(`${path(id)}/${button.dataset.act}`, { method: "POST" }).catch(() => null);
  if (id !== current) return;
  if (!answer?.ok) {
    button.disabled = false;
    tell(".problem", await why(answer));
  } else if (button.dataset.act === "resume") {
    open({ id, question: $(".question").textContent, own, private: isPrivate });
  } else if (button.dataset.act === "share") {
    shared(await answer.json());
    button.disabled = false;
  } else if (button.dataset.act === "write-now" && !seen.ended) {
    seen.wish = "Finishing this search, then writing the report";
    waits("");
  }
}

// A run that is private is read by others with a link of its owner.
function shared(link) {
  $(".shared").hidden = false;
  $(".until").textContent = `until ${new Date(link.expires_at).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}`;
  $(".link").value = new URL(link.page, location.href).href;
  $(".link").select();
}

function open(run) {
  close();
  current = run?.id ?? null;
  own = Boolean(run?.own);
  isPrivate = Boolean(run?.private);
  seen = { seq: 0, queries: 0, records: 0, statements: 0, chains: 0, rounds: 0, spent: null, estimate: null };
  $(".live").hidden = !current;
  if (!current) return trigger("finished");
  document.querySelector(".results .sample")?.remove();
  document.querySelector("#options > .label-wrap.open")?.click();
  document.body.dataset.shown = ""; // former runs are offered for what is typed from now on
  $(".question").textContent = run.question;
  $(".log > ul").replaceChildren();
  $(".counts").replaceChildren();
  $(".clock").textContent = "0:00";
  $(".stay").hidden = false;
  $(".steps").open = true;
  for (const item of element.querySelectorAll(".stages li")) item.classList.remove("reached", "now");
  tell(".problem", "");
  tell(".waiting", "");
  $(".shared").hidden = true;
  status("starting");
  acts();
  follow();
  runsChanged();
  $(".live").scrollIntoView({ block: "nearest" });
  // What an earlier run has brought makes room; one that has ended brings its own at once.
  seen.clearing = setTimeout(() => trigger("finished"), CLEAR_MS);
}

function visit() {
  const id = new URLSearchParams(location.search).get("run");
  if (id !== current) trigger("visited", { run: id });
}

for (const button of element.querySelectorAll("[data-act]")) button.addEventListener("click", () => act(button));
document.addEventListener("visibilitychange", () => {
  if (!current || seen.ended) return;
  // A browser has six connections to a server for all of its tabs.
  if (document.hidden) close();
  else follow();
});
// A link to a run opens it here, unless another tab is wanted.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="?run="]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState({}, "", link.href);
  visit();
  runsChanged();
});
document.addEventListener("input", (event) => event.target.closest("#question") && delete document.body.dataset.shown);
watch("value", () => {
  if ((props.value?.id ?? null) !== current) open(props.value);
});
window.addEventListener("popstate", () => {
  visit();
  runsChanged();
});
if (props.value) open(props.value);
