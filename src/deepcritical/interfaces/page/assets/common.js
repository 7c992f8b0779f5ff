// What the scripts of several parts share. Text reaches the page by textContent only.
const $ = (selector) => element.querySelector(selector);

function made(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function button(text, act, className, label) {
  const node = made("button", className, text);
  node.type = "button";
  if (label) node.setAttribute("aria-label", label);
  node.addEventListener("click", act);
  return node;
}

function tell(selector, text) {
  $(selector).textContent = text;
  $(selector).hidden = !text;
}

async function why(answer) {
  const told = await answer?.json().catch(() => null);
  return [told?.detail ?? "The server does not answer. Try again.", told?.advice].filter(Boolean).join(" ");
}

// Of the form: the key goes from its field into the header of a request, and nowhere else.
function typedIn(name) {
  return document.querySelector(`#${name} :is(input, textarea)`)?.value.trim() ?? "";
}

function keyHeader() {
  const typed = typedIn("key");
  // The browser sends no others in a header.
  if (!/^[!-~]*$/.test(typed)) throw new Error("The key holds characters that no key has. Copy it once more.");
  return typed && { "X-Model-Key": typed };
}
