// The caller's own runs, as the server knows them.
const WORDS = { pending: "waiting", in_progress: "running" };
const KINDS = { research: "report", deep_research: "answer" };
const AGAIN_MS = 5000;
const MORE = 30;
const MOST_AT_ONCE = 100;
let shown = 10;
let drawn = "";
let last = 0;
let waiting = null;

async function load() {
  const asked = ++last;
  const words = $("input").value.trim();
  const query = new URLSearchParams({ limit: Math.min(shown, MOST_AT_ONCE), words });
  const runs = [];
  let next = `/api/runs?${query}`;
  while (next && runs.length < shown) {
    const answer = await fetch(next).catch(() => null);
    // Whoever asked later has the newer answer; without any the run card tells of the outage.
    if (asked !== last || !answer) return;
    if (!answer.ok) return tell(".problem", await why(answer));
    const page = await answer.json();
    runs.push(...page.runs);
    next = page.next;
  }
  tell(".problem", "");
  draw(runs, next, words);
  clearTimeout(waiting);
  // A run that this tab does not follow ends, too.
  if (runs.some((run) => !run.ended) && !document.hidden) waiting = setTimeout(load, AGAIN_MS);
}

function draw(runs, next, words) {
  const current = new URLSearchParams(location.search).get("run");
  const now = JSON.stringify([current, words, next, runs.map((run) => [run.id, run.status])]);
  if (now === drawn || element.querySelector(".sure")) return;
  drawn = now;
  $("ul").replaceChildren(...runs.map((run) => item(run, current)));
  tell(".none", runs.length ? "" : words ? "No run of yours has these words." : "Your runs appear here.");
  $(".more").hidden = !next;
}

function item(run, current) {
  const link = made("a", { href: `?run=${encodeURIComponent(run.id)}`, ...(run.id === current && { "aria-current": "page" }) }, run.question);
  const when = run.started_at && new Date(run.started_at).toLocaleString("en-GB", TIME);
  const told = [when, KINDS[run.tool] ?? run.tool, WORDS[run.status] ?? run.status].filter(Boolean);
  const line = made("li", "", link, made("span", `note ${run.status}`, told.join(" · ")));
  if (run.ended) line.append(button("✕", () => confirm(line, run), "delete", `Delete: ${run.question}`));
  return line;
}

function confirm(line, run) {
  const keep = () => (asked.remove(), line.querySelector(".delete").focus());
  const asked = made("div", { class: "sure", role: "group", "aria-label": "Delete this run?" }, "Delete for good?");
  asked.append(button("Delete", () => remove(asked, run), "yes"), button("Keep", keep));
  line.querySelector(".sure")?.remove();
  line.append(asked);
  asked.querySelector(".yes").focus();
}

async function remove(asked, run) {
  const answer = await fetch(path(run.id), { method: "DELETE" }).catch(() => null);
  asked.remove();
  if (!answer?.ok && answer?.status !== 404) return tell(".problem", await why(answer));
  if (new URLSearchParams(location.search).get("run") === run.id) return location.assign("/");
  await load();
  $("input").focus();
}

let typing = null;
$("input").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(load, 200);
});
$(".more").addEventListener("click", () => {
  // A last page may have brought more than were asked for.
  shown = Math.max(shown, $("ul").children.length) + MORE;
  load();
});
window.addEventListener("deepcritical:runs", load);
document.addEventListener("visibilitychange", () => document.hidden || load());
load();
