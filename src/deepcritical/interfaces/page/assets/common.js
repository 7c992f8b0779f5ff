// What the scripts of several parts share. Text reaches the page by textContent only.
const $ = (selector) => element.querySelector(selector);

function made(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
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
