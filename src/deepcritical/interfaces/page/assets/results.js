// The results of one run as tabs. A tab's content is HTML that the server has escaped; it is fetched
// when the tab is first opened. Everything else reaches the page by textContent.
const root = element.querySelector(".results");
let shownRun = null;

function node(tag, fields = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) one.setAttribute(name, value);
  one.append(...children);
  return one;
}

async function fill(id, name, place) {
  place.replaceChildren(node("p", { class: "small", role: "status" }, "Loading …"));
  place.setAttribute("aria-busy", "true");
  try {
    const chosen = name === "studies" ? choice() : "";
    const answer = await fetch(`/api/runs/${encodeURIComponent(id)}/views/${name}${chosen}`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    place.innerHTML = await answer.text();
    prepare(place);
  } catch (error) {
    const again = button("Try again", () => fill(id, name, place));
    place.replaceChildren(
      node("p", { class: "problem", role: "alert" }, `This could not be loaded: ${error.message}. `, again),
    );
  }
  place.removeAttribute("aria-busy");
}

// Which studies are left out stands in the address, so that a reload shows the same.
const CHOICE = ["without", "only"];

function choice() {
  const given = new URLSearchParams(window.location.search);
  const kept = new URLSearchParams(CHOICE.flatMap((key) => (given.get(key) ? [[key, given.get(key)]] : [])));
  return String(kept) && `?${kept}`;
}

function weigh(place, chosen, focused) {
  const url = new URL(window.location.href);
  for (const key of CHOICE) {
    if (chosen[key]) url.searchParams.set(key, chosen[key]);
    else url.searchParams.delete(key);
  }
  window.history.replaceState(window.history.state, "", url);
  fill(shownRun.id, "studies", place).then(() => place.querySelector(focused)?.focus({ preventScroll: true }));
}

function weighable(place, group) {
  const boxes = [...group.querySelectorAll('[name="counts"]')];
  group.onchange = ({ target }) => {
    const without = boxes.filter((box) => !box.checked).map((box) => box.value).join(",");
    const focused = target.name === "only" ? "select" : `[value="${CSS.escape(target.value)}"]`;
    weigh(place, { without, only: group.querySelector("select").value }, focused);
  };
  const all = group.querySelector(".all");
  if (all) all.onclick = () => weigh(place, {}, "select");
}

function prepare(place) {
  place.querySelectorAll(".weighed").forEach((group) => weighable(place, group));
  place.querySelectorAll(".save").forEach((one) => (one.onclick = () => save(place.querySelector("table"))));
  place.querySelectorAll("table.sortable").forEach((table) => sortable(place, table));
  for (const svg of place.querySelectorAll("svg")) {
    const parts = svg.querySelectorAll("[data-opens]");
    if (parts.length) svg.setAttribute("role", "group");
    for (const part of parts) {
      // Of a line and its label the label alone is a stop for the keyboard.
      if (!part.querySelector("text")) continue;
      part.setAttribute("tabindex", "0");
      part.setAttribute("role", "button");
      part.setAttribute("aria-label", part.querySelector("title").textContent);
    }
  }
}

// A finished brief stands there until the first run is opened.
async function sample() {
  const answer = await fetch("/sample/brief");
  const place = root.querySelector(".sample");
  if (!answer.ok || !place) return;
  place.querySelector(".dc-report").innerHTML = await answer.text();
  place.hidden = false;
}

function draw(run) {
  const list = node("div", { role: "tablist", "aria-label": "Results", class: "tabs" });
  const shut = button("✕", () => leave(list), "shut", "Close the panel");
  const side = node("div", { class: "side" }, shut);
  const panels = node("div", { class: "thread-and-side" });
  const sources = node("div", { class: "sources" });
  for (const { name, title, holds } of run.tabs) {
    const tab = node("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`,
      "aria-selected": "false", tabindex: "-1",
    }, title);
    if (holds !== null) tab.append(" ", node("span", { class: "count" }, String(holds)));
    tab.onclick = () => select(name, true);
    list.append(tab);
    // The first stays; what else is chosen stands beside it, or above it on a phone.
    (name === run.tabs[0].name ? panels : side).append(node("section", {
      role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0", hidden: "", class: name,
    }));
  }
  panels.append(side);
  list.onkeydown = (event) => step(event, [...list.children]);
  const box = node("div", { class: "dc-report" }, list, panels, sources);
  box.addEventListener("click", (event) => opened(event, event.target));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") opened(event, event.target);
    if (event.key === "Escape" && !document.querySelector(":popover-open")) leave(list);
  });
  root.append(box);
  if (run.tabs.some((tab) => tab.name === "evidence")) fill(run.id, "sources", sources);
  select(named() ?? run.tabs[0].name, false);
}

function leave(list) {
  if (root.querySelector(".side").hidden) return;
  list.firstChild.click();
  list.firstChild.focus();
}

function step(event, tabs, choose = (tab) => tab.click()) {
  const at = tabs.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const tab = tabs[(to + tabs.length) % tabs.length];
  choose(tab);
  tab.focus();
}

// The tab that the address names, if there is one of that name.
function named() {
  const name = window.location.hash.slice(1);
  return shownRun.tabs.find((tab) => tab.name === name)?.name;
}

async function select(name, chosen) {
  for (const tab of root.querySelectorAll('[role="tab"]')) {
    const own = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", own);
    tab.tabIndex = own ? 0 : -1;
    if (own) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  const first = shownRun.tabs[0].name;
  const shown = [first, name];
  root.querySelector(".side").hidden = name === first;
  for (const panel of root.querySelectorAll('[role="tabpanel"]')) panel.hidden = !shown.includes(panel.className);
  if (chosen) remember(name === first ? "" : `#${name}`);
  // A sheet lies over the tabs: who chose it goes on within.
  const shut = root.querySelector(".shut");
  if (chosen && getComputedStyle(shut.parentElement).position === "fixed") shut.focus();
  const { id } = shownRun;
  const panels = shown.map((one) => [one, root.querySelector(`#panel-${one}`)]);
  await Promise.all(panels.map(([one, panel]) => panel.hasChildNodes() || fill(id, one, panel)));
}

// Another run has other studies.
function forget() {
  const url = new URL(window.location.href);
  CHOICE.forEach((key) => url.searchParams.delete(key));
  window.history.replaceState(window.history.state, "", url);
}

function remember(hash) {
  const url = new URL(window.location.href);
  url.hash = hash;
  window.history.replaceState(window.history.state, "", url);
}

// Links to other tabs, and the parts of figures, which cannot be buttons of popovers by themselves.
function opened(event, target) {
  const part = target.closest("[data-opens]");
  const link = target.closest('a[href^="#"]');
  if (part) {
    event.preventDefault();
    const popover = document.getElementById(part.dataset.opens);
    popover?.showPopover();
    // Unlike behind a button, what was opened does not come next in the order of the keyboard.
    popover?.focus();
  } else if (link && event.type === "click" && shownRun.tabs.some((tab) => `#${tab.name}` === link.hash)) {
    event.preventDefault();
    select(link.hash.slice(1), true).then(() => unfold(link.dataset.to));
  } else if (link?.hash.startsWith("#part-") && event.type === "click") {
    event.preventDefault();
    unfold(link.hash.slice(1));
  }
}

// Open the folded part of the report that has this id, and show it.
function unfold(id) {
  const fold = document.getElementById(id)?.closest("details");
  if (!fold) return;
  fold.open = true;
  fold.scrollIntoView();
  fold.querySelector("summary").focus({ preventScroll: true });
}

function show(run) {
  if (run && JSON.stringify(run) === JSON.stringify(shownRun)) return;
  root.querySelector(".empty").hidden = Boolean(run);
  if (run) root.querySelector(".sample")?.remove();
  root.querySelector(".results > .dc-report")?.remove();
  if (shownRun && !run?.tabs) remember("");
  if (shownRun && shownRun.id !== run?.id) forget();
  shownRun = run?.tabs ? run : null;
  tell(".results > .problem", run?.problem ?? "");
  if (shownRun) draw(shownRun);
}

// The things to try are one stop of the keyboard.
const tries = [...root.querySelectorAll(".empty button")];
tries.slice(1).forEach((one) => (one.tabIndex = -1));
root.querySelector(".empty .choose").onkeydown = (event) => step(event, tries, () => {});
// The framework names each depth apart, which makes a stop of each.
document.addEventListener("focusin", () => document.querySelectorAll("#depth input").forEach((one) => (one.name = "depth")));
if (!new URLSearchParams(window.location.search).has("run")) sample();
watch("value", () => show(props.value));
show(props.value);
