// The steps of the run that is followed, as a tree; what was drawn so far stands in `seen`.
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

const MOST_TITLES = 12;

// A line of the tree; one that opens holds a list of further ones.
function line({ kind, mark, title, note = "", opens = false }) {
  const sign = made("span", { class: "mark", ...(mark[1] && { role: "img", "aria-label": mark[1] }) }, mark[0]);
  const text = made("span", "text", title, " ", made("span", "note", note));
  const row = made(opens ? "summary" : "div", "row", sign, text, made("span", "took"));
  if (!opens) return made("li", kind, row);
  const folds = made("details", "", row, made("ul"));
  folds.open = opens === "open";
  return made("li", kind, folds);
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

function searched(event) {
  const found = event.outcome === "data" || event.outcome === "degraded";
  const of = event.total > event.identified ? ` of ${event.total.toLocaleString("en")}` : "";
  const kept = event.cached ? ", kept from an earlier search" : "";
  const mark = MARKS[event.outcome] ?? ["·", event.outcome];
  const note = found ? `${event.identified}${of} records, ${event.new} new${kept}` : mark[1];
  const asked = event.query_as_run || event.query;
  const item = line({
    kind: `source_searched ${event.outcome}`,
    mark,
    title: `${event.source} · ${asked.length > 160 ? `${asked.slice(0, 159)}…` : asked}`,
    note,
    opens: event.query_as_run ? "closed" : false,
  });
  if (event.query_as_run) item.querySelector("ul").append(made("li", "asked", "Asked as: ", made("code", "", event.query_as_run)));
  took(item, event.seconds);
  const { step } = seen;
  step.queries += 1;
  step.records += event.new;
  step.failed += event.outcome === "unavailable";
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
  if (event.type === "source_searched" && !seen.step) {
    round(seen.rounds + 1, at);
    step("Search", "", at, "searching");
  }
  if (event.type === "completeness_checked") end("step", at);
  return false;
}

function entry(logged, at) {
  const { event } = logged;
  if (place(event, at)) return;
  if (event.type === "source_searched") return searched(event);
  if (ENDS[event.type]) end("round", at), end("step", at);
  // The alert above the steps says why.
  if (event.type === "run_failed") return;
  const mark = event.type === "notice" ? ["!", "note"] : ENDS[event.type] === "cancelled" ? ["■", ""] : ["✓", ""];
  if (seen.step && event.type !== "notice") seen.step.told = logged.text;
  const read = (event.type === "studies_read" ? event.records : []).filter((one) => one.title).slice(0, MOST_TITLES);
  const item = line({ kind: event.type, mark, title: logged.text, opens: read.length ? "open" : false });
  for (const { title, told } of read) item.querySelector("ul").append(line({ kind: "read", mark: ["·", ""], title, note: told }));
  list().append(item);
  if (event.type === "completeness_checked") end("round", at);
}
