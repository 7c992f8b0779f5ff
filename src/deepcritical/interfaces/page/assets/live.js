// Follows one run: its events are drawn as they come.
const STAGES = ["question", "search", "hypotheses", "judgement", "report", "done"];
const ENDS = { run_completed: "completed", run_failed: "failed", run_cancelled: "cancelled" };
const FIRST_MS = 700;
const WAITING_MS = 2000;
const CLEAR_MS = 300;
const MOST_OTHERS = 8;
let stream = null;
let current = null;
let own = false;
let isPrivate = false;
let timing = null;
let seen = null;

function close() {
  stream?.close();
  stream = null;
  for (const timer of [timing, seen?.asking, seen?.clearing]) clearTimeout(timer);
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
    item.ariaCurrent = place === at ? "step" : null;
  }
}

const COUNTED = {
  source_searched: (event) => ((seen.queries += 1), (seen.records += event.new)),
  evidence_processed: (event) => (seen.statements += event.facts_located),
  facts_mapped: (event) => (seen.statements += event.facts_located),
  hypotheses_proposed: (event) => (seen.chains = event.chains.length),
  budget_planned: (event) => (seen.estimate = event.estimate.cost_usd),
  judgement_made: (event) => (seen.spent = event.spent),
};

function count(event) {
  COUNTED[event.type]?.(event);
  const shown = [
    [seen.queries, "queries"],
    [seen.records, "records"],
    [seen.statements, "findings"],
    [seen.chains, "mechanism chains"],
    ...cost(),
  ];
  $(".counts").replaceChildren(
    ...shown.filter(([n]) => n).map(([n, what]) => made("span", "", made("b", "", n.toLocaleString("en")), ` ${what}`)),
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
  // What folds is not seen moving.
  $(".live").style.visibility = "hidden";
  setTimeout(() => ($(".live").style.visibility = ""), 60);
  acts();
  trigger("finished");
  runsChanged();
}

const runsChanged = () => window.dispatchEvent(new CustomEvent("deepcritical:runs"));

async function lost() {
  status("reconnecting");
  // The browser itself tries again, unless the answer was an error.
  if (stream?.readyState !== EventSource.CLOSED) return;
  const id = current;
  const answer = await fetch(path(id)).catch(() => null);
  if (id !== current) return;
  if (answer?.status !== 404) {
    // Of a run that has ended, the server may have fewer events than were shown here: all are read anew.
    const on = answer?.ok && (await answer.json()).ended ? anew : follow;
    return setTimeout(() => id === current && !document.hidden && on(), 3000);
  }
  close();
  status("lost");
  acts();
  tell(".problem", "This run cannot be followed: the server does not know it (any more). Ask the question again.");
}

const going = () => status(seen.first ? "running" : $(".waiting").hidden ? "starting" : "waiting");

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
    const fits = { share: isPrivate, resume: stopped, again: word === "completed" }[does] ?? !seen.ended;
    button.hidden = !own || word === "lost" || !fits;
    button.disabled = false;
  }
  $(".versus").hidden = word !== "completed";
  $(".versus summary").textContent = own ? "Ask again or compare" : "Compare";
  $(".acts").hidden = ![...element.querySelectorAll(".acts button")].some((button) => !button.hidden);
}

async function act(button) {
  const id = current;
  const does = button.dataset.act;
  button.disabled = true;
  let wrong = "";
  const answer = await post(id, does).catch((error) => void (wrong = error.name === "TypeError" ? "" : error.message));
  if (id !== current) return;
  if (!answer?.ok) {
    button.disabled = false;
    tell(".problem", wrong || (await why(answer)));
  } else if (does === "resume") {
    anew();
  } else if (does === "again") {
    if (typedIn("key")) type("key", "");
    history.pushState({}, "", `?run=${encodeURIComponent((await answer.json()).id)}`);
    visited();
  } else if (does === "share") {
    shared(await answer.json());
    button.disabled = false;
  } else if (does === "write-now" && !seen.ended) {
    seen.wish = "Finishing this search, then writing the report";
    waits("");
  }
}

// A question that is asked again is answered by the model of the form.
async function post(id, does) {
  if (does !== "again") return fetch(`${path(id)}/${does}`, { method: "POST" });
  return fetch(`${path(id)}/again`, posted({ model: typedIn("model") }));
}

// The caller's other finished runs, each with the page that has it beside this one.
async function versus() {
  if (!$(".versus").open) return;
  const id = current;
  const answer = await fetch("/api/runs?limit=50").catch(() => null);
  if (id !== current) return;
  if (!answer?.ok) return tell(".problem", await why(answer));
  const others = (await answer.json()).runs.filter((run) => run.status === "completed" && run.id !== id);
  const links = others.slice(0, MOST_OTHERS).map((run) => {
    const link = made("a", { href: `/compare?${new URLSearchParams({ a: run.id, b: id })}` }, run.question);
    return made("li", "", link, made("span", "note", ` ${new Date(run.completed_at).toLocaleString("en-GB", TIME)}`));
  });
  $(".versus ul").replaceChildren(...links);
  $(".versus .found").hidden = !links.length;
  tell(".versus .none", links.length ? "" : "No other finished run of yours is kept here.");
}

const anew = () => open({ id: current, question: $(".question").textContent, own, private: isPrivate });

// A run that is private is read by others with a link of its owner.
function shared(link) {
  $(".shared").hidden = false;
  $(".until").textContent = `until ${new Date(link.expires_at).toLocaleDateString("en-GB", DATE)}`;
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
  for (const list of element.querySelectorAll(".log > ul, .counts, .versus ul")) list.replaceChildren();
  $(".clock").textContent = "0:00";
  $(".stay").hidden = false;
  $(".steps").open = true;
  for (const item of element.querySelectorAll(".stages li")) item.classList.remove("reached"), (item.ariaCurrent = null);
  tell(".problem", "");
  tell(".waiting", "");
  $(".shared").hidden = true;
  $(".versus").open = false;
  status("starting");
  acts();
  follow();
  runsChanged();
  $(".live").scrollIntoView({ block: "nearest" });
  // What an earlier run has brought makes room; one that has ended brings its own at once.
  seen.clearing = setTimeout(() => trigger("finished"), CLEAR_MS);
}

// Show the run that the address names.
function visited() {
  const id = new URLSearchParams(location.search).get("run");
  if (id !== current) trigger("visited", { run: id });
  runsChanged();
}

for (const button of element.querySelectorAll("[data-act]")) button.onclick = () => act(button);
$(".versus").addEventListener("toggle", versus);
document.addEventListener("visibilitychange", () => {
  if (!current || seen.ended) return;
  // A browser has six connections to a server for all of its tabs.
  if (document.hidden) close();
  else follow();
});
// A link to a run opens it here, unless another tab is wanted; a question that is offered is asked.
document.addEventListener("click", (event) => {
  const choice = event.target.closest?.(".choose button");
  if (choice) return type("question", choice.textContent), setTimeout(() => document.querySelector("#ask").click());
  const link = event.target.closest?.('a[href*="?run="]:not([target])');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState({}, "", link.href);
  visited();
});
document.addEventListener("input", (event) => event.target.closest("#question") && delete document.body.dataset.shown);
watch("value", () => {
  if ((props.value?.id ?? null) !== current) open(props.value);
});
window.addEventListener("popstate", visited);
if (props.value) open(props.value);
