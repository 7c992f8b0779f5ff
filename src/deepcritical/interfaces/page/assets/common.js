// What the scripts of several parts share. Text reaches the page as text only.
const $ = (selector) => element.querySelector(selector);
const DATE = { day: "numeric", month: "short", year: "numeric" };
const TIME = { ...DATE, hour: "2-digit", minute: "2-digit" };

// An element with a class, or with attributes.
function made(tag, given = "", ...children) {
  const node = document.createElement(tag);
  const named = typeof given === "string" ? { class: given } : given;
  for (const [name, value] of Object.entries(named)) if (value || name !== "class") node.setAttribute(name, visible(value));
  node.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}

// Without characters that could hide or turn round what stands beside them.
function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}]/gu, (c) => (/\s/.test(c) ? c : ""));
}

function button(text, act, given = "", label = "") {
  const node = made("button", { type: "button", class: given, ...(label && { "aria-label": label }) }, text);
  node.onclick = act;
  return node;
}

const path = (id) => `/api/runs/${encodeURIComponent(id)}`;

function tell(selector, text) {
  $(selector).textContent = text;
  $(selector).hidden = !text;
}

async function why(answer) {
  const told = await answer?.json().catch(() => null);
  return [told?.detail ?? "The server does not answer. Try again.", told?.advice].filter(Boolean).join(" ");
}

// Of the form: the key goes from its field into the header of a request, and nowhere else.
const fieldOf = (name) => document.querySelector(`#${name} :is(input, textarea)`);
const typedIn = (name) => fieldOf(name)?.value.trim() ?? "";

function type(name, text) {
  fieldOf(name).value = text;
  fieldOf(name).dispatchEvent(new Event("input", { bubbles: true }));
}

// How a body is posted as JSON, with the key.
function posted(body, headers = {}) {
  return { method: "POST", headers: { "Content-Type": "application/json", ...keyHeader(), ...headers }, body: JSON.stringify(body) };
}

function keyHeader() {
  const typed = typedIn("key");
  // The browser sends no others in a header.
  if (!/^[!-~]*$/.test(typed)) throw new Error("The key holds characters that no key has. Copy it once more.");
  return typed && { "X-Model-Key": typed };
}
