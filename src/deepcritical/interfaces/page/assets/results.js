// The results of one run as tabs. A tab's content is HTML that the server has escaped; it is fetched
// when the tab is first opened. Everything else reaches the page as text.
const root = element.querySelector(".results");
const narrow = window.matchMedia("(max-width: 1099px)");
let shownRun = null;

async function fill(id, name, place) {
  place.replaceChildren(made("p", { class: "small", role: "status" }, "Loading …"));
  place.setAttribute("aria-busy", "true");
  try {
    const chosen = name === "studies" ? choice() : "";
    const answer = await fetch(`${path(id)}/views/${name}${chosen}`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    place.innerHTML = await answer.text();
    prepare(place);
  } catch (error) {
    const again = button("Try again", () => fill(id, name, place));
    place.replaceChildren(made("p", { class: "problem", role: "alert" }, `This could not be loaded: ${error.message}. `, again));
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

// Without a choice the address forgets it: another run has other studies.
function remember({ chosen = null, hash = null }) {
  const url = new URL(window.location.href);
  if (hash !== null) url.hash = hash;
  if (chosen) for (const key of CHOICE) url.searchParams.delete(key), chosen[key] && url.searchParams.set(key, chosen[key]);
  window.history.replaceState(window.history.state, "", url);
}

function weigh(place, chosen, focused) {
  remember({ chosen });
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
  const list = made("div", { role: "tablist", "aria-label": "Results", class: "tabs" });
  const side = made("div", "side", button("✕", leave, "shut", "Close the panel"));
  const panels = made("div", "thread-and-side", side);
  const sources = made("div", "sources");
  const sheet = made("dialog", { class: "sheet", "aria-modal": "true", closedby: "any" });
  for (const { name, title, holds } of run.tabs) {
    const tab = button(title, () => (tab.focus(), select(name, true)));
    for (const [key, value] of Object.entries({ role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` })) tab.setAttribute(key, value);
    if (holds !== null) tab.append(" ", made("span", "count", holds));
    list.append(tab);
    const panel = made("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": tab.id, tabindex: "0", hidden: "", class: name });
    // The first stays; what else is chosen stands beside it, or above it on a phone.
    if (name === run.tabs[0].name) panels.prepend(panel);
    else side.append(panel);
  }
  list.onkeydown = (event) => step(event, [...list.children]);
  sheet.onclose = () => narrow.matches && leave();
  const box = made("div", "dc-report", list, panels, sources, sheet);
  box.onclick = (event) => opened(event, event.target);
  box.onkeydown = (event) => {
    if (event.key === "Enter" || event.key === " ") opened(event, event.target);
    if (event.key === "Escape" && !document.querySelector(":popover-open")) leave();
  };
  root.append(box);
  if (run.tabs.some((tab) => tab.name === "evidence")) fill(run.id, "sources", sources);
  select(named() ?? run.tabs[0].name, false);
}

// A sheet gives the focus back to what opened it.
function leave() {
  if (root.querySelector(".side").hidden) return;
  if (!narrow.matches) root.querySelector('[role="tab"]').focus();
  select(shownRun.tabs[0].name, true);
}

// Beside the report where there is room; elsewhere in a sheet, and then nothing else is in reach: what its citations open goes along.
function arrange() {
  const [box, panels, side, sources, sheet] = [".dc-report:has(> .tabs)", ".thread-and-side", ".side", ".sources", ".sheet"].map((one) => root.querySelector(one));
  const over = narrow.matches && !side.hidden;
  for (const [part, to] of [[side, over ? sheet : panels], [sources, over ? sheet : box]]) if (part.parentElement !== to) to.append(part);
  if (!over) sheet.close();
  else if (!sheet.open) sheet.showModal();
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
  if (chosen) remember({ hash: name === first ? "" : `#${name}` });
  root.querySelector(".sheet").setAttribute("aria-labelledby", `tab-${name}`);
  arrange();
  const { id } = shownRun;
  const panels = shown.map((one) => [one, root.querySelector(`#panel-${one}`)]);
  await Promise.all(panels.map(([one, panel]) => panel.hasChildNodes() || fill(id, one, panel)));
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
  if (shownRun && !run?.tabs) remember({ hash: "" });
  if (shownRun && shownRun.id !== run?.id) remember({ chosen: {} });
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
narrow.onchange = () => shownRun && arrange();
watch("value", () => show(props.value));
show(props.value);
