// Follows one run: its events are drawn as they come. Text reaches the page by textContent only.
const STAGES = ["question", "search", "hypotheses", "judgement", "report", "done"];
const ENDS = { run_completed: "completed", run_failed: "failed", run_cancelled: "cancelled" };
const $ = (selector) => element.querySelector(selector);
let stream = null;
let current = null;
let timing = null;
let seen = null;

function made(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function close() {
  stream?.close();
  stream = null;
  clearInterval(timing);
}

function status(word) {
  $(".pill").textContent = word;
  $(".live").dataset.status = word;
}

function problem(text) {
  $(".problem").textContent = text;
  $(".problem").hidden = !text;
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
  } else if (event.type === "evidence_processed") {
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
    [seen.statements, "statements located"],
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
  ];
}

function draw(logged) {
  const { event } = logged;
  const at = Date.parse(logged.at);
  seen.first ??= at;
  seen.last = at;
  // How far the server's clock is ahead of this one.
  seen.ahead = Date.parse(logged.now) - Date.now();
  seen.seq = logged.seq;
  count(event);
  // A run that failed or was stopped stays at the stage that it had reached.
  if (!ENDS[event.type] || event.type === "run_completed") stages(logged.stage);
  const line = made("li", event.type);
  line.append(
    made("span", "text", logged.text),
    made("span", "at", `${((at - seen.first) / 1000).toFixed(1)} s`),
  );
  const log = $(".log");
  log.firstElementChild.append(line);
  log.scrollTop = log.scrollHeight;
  if (ENDS[event.type]) finish(event);
}

function finish(event) {
  seen.ended = true;
  close();
  clock();
  status(ENDS[event.type]);
  $(".stay").hidden = true;
  if (event.type === "run_failed") problem(`${event.message} ${event.advice}`.trim());
  $(".steps").open = event.type !== "run_completed";
  trigger("finished");
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
    problem("This run cannot be followed: the server does not know it (any more). Ask the question again.");
  } else {
    setTimeout(() => id === current && follow(), 3000);
  }
}

function path(id) {
  return `/api/runs/${encodeURIComponent(id)}`;
}

function follow() {
  close();
  stream = new EventSource(`${path(current)}/events?after=${seen.seq}`);
  stream.onopen = () => status("running");
  stream.onmessage = (message) => draw(JSON.parse(message.data));
  stream.onerror = lost;
  timing = setInterval(clock, 1000);
}

function open(run) {
  close();
  current = run?.id ?? null;
  seen = { seq: 0, queries: 0, records: 0, statements: 0, chains: 0, spent: null, estimate: null };
  $(".live").hidden = !current;
  if (!current) return;
  $(".question").textContent = run.question;
  $(".log ol").replaceChildren();
  $(".counts").replaceChildren();
  $(".clock").textContent = "0:00";
  $(".stay").hidden = false;
  $(".steps").open = true;
  for (const item of element.querySelectorAll(".stages li")) item.classList.remove("reached", "now");
  problem("");
  status("running");
  follow();
}

watch("value", () => {
  if ((props.value?.id ?? null) !== current) open(props.value);
});
window.addEventListener("popstate", () => window.location.reload());
open(props.value);
