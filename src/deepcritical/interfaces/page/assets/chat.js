// Speaks to /api/chats: look-ups and small talk of the form are answered in the thread, and questions
// on a report in its card.
const form = $("form");
let runId = "";
let chat = null;
let answers = 0;
let busy = false;

function add(node) {
  $(".said").hidden = false;
  if (!form) $(".chat").hidden = false;
  $(".said").append(node);
  node.scrollIntoView({ block: "nearest" });
  return node;
}

const problem = (text) => add(made("p", { class: "problem", role: "alert" }, text));

async function post(path, body) {
  // Within a page of another site the browser may keep no cookie that says whose the chat is.
  const answer = await fetch(path, posted(body, chat?.owner && { Authorization: `Bearer ${chat.owner}` }));
  if (answer.ok) return answer;
  const error = new Error(await why(answer));
  error.gone = answer.status === 404;
  throw error;
}

// A chat is opened by its first message, and again where the server has forgotten it.
async function sent(message, again = true) {
  const about = { run_id: form ? runId : "", model: typedIn("model") };
  if (chat?.about !== JSON.stringify(about)) {
    const opened = await (await post("/api/chats", about)).json();
    const owner = opened.owner_token || chat?.owner;
    chat = { about: JSON.stringify(about), links: opened.links, owner };
  }
  try {
    return await post(chat.links.messages, { message });
  } catch (error) {
    if (!error.gone || !again) throw error;
    chat.about = null;
    return sent(message, false);
  }
}

async function* events(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) if (block.startsWith("data: ")) yield JSON.parse(block.slice(6)).event;
    }
  } finally {
    await reader.cancel();
  }
}

// One turn: what is said, what tools tell, and the event that ends it.
async function turn(said, request) {
  if (busy) return;
  busy = true;
  for (const old of element.querySelectorAll(".offer button")) old.disabled = true;
  $(".chat").setAttribute("aria-busy", "true");
  add(made("p", "mine", said));
  const doing = add(made("p", "doing", "Working …"));
  let ended = false;
  try {
    for await (const event of events(await request())) {
      ended = draw(event, doing);
      if (ended) break;
    }
    if (!ended) problem("The connection was lost before the answer came. Ask again.");
  } catch (error) {
    problem(error.name === "TypeError" ? "The server cannot be reached. Ask again in a moment." : error.message);
  } finally {
    doing.remove();
    busy = false;
    $(".chat").removeAttribute("aria-busy");
  }
}

const follow = ({ run_id }) => window.location.assign(`?run=${encodeURIComponent(run_id)}`);
const DRAWN = { chat_answer: answered, research_offered: offered, turn_failed: (event) => problem(`${event.message} ${event.advice}`.trim()), research_ended: follow };

function draw(event, doing) {
  if (event.type === "tool_told") {
    doing.textContent = `${visible(event.progress.message)} …`;
    // Research belongs to the server: it is followed as every run is.
    if (event.progress.data.run_id) {
      follow(event.progress.data);
      return true;
    }
  }
  if (!DRAWN[event.type]) return false;
  DRAWN[event.type](event);
  return true;
}

function answered(answer) {
  const number = ++answers;
  const id = (n) => `${form ? "chat" : "thread"}-${number}-${n}`;
  const node = made("div", "answer dc-report", made("p", "head", answer.head));
  const lines = [...answer.points.map((p) => point(p, answer, id)), ...answer.sentences.map((s) => sentence(s, answer, id))];
  if (lines.length) node.append(made("ul", "", ...lines));
  else if (answer.references.length) node.append(made("ol", "", ...answer.references.map((r, at) => listed(r, id(at + 1), at + 1))));
  if (answer.left_out)
    node.append(made("p", "small", `Left out: ${answer.left_out} of the model's sentences, which stand in no record on the question.`));
  node.append(...answer.notices.map((notice) => made("p", "small", `Note: ${notice}`)));
  if (answer.references.length)
    node.append(made("p", "small", `Answered by ${answer.written_by}. For research use, not medical advice.`));
  node.append(...answer.references.map((r, at) => source(r, at + 1, id(at + 1), answer)));
  add(node);
}

// A reference of a report keeps the number that it has there.
const shown = (answer, n) => answer.printed_numbers[n - 1] ?? n;

function chip(reference, popovertarget, number) {
  return made("button", { type: "button", class: "cite", popovertarget, "aria-label": `Citation ${number}: ${reference.title}` }, number);
}

function point({ text, numbers }, answer, id) {
  const cited = numbers.flatMap((n) => [" ", chip(answer.references[n - 1], id(n), shown(answer, n))]);
  return made("li", "", text.replaceAll(" % CI", "\u00a0%\u00a0CI"), ...cited);
}

function sentence(said, answer, id) {
  const words = said.wording === "quote" ? `“${said.text}”` : `Summary: ${said.text}`;
  const node = made("li", "", words, " ", chip(answer.references[said.number - 1], id(said.number), shown(answer, said.number)));
  if (said.remark) node.append(" ", made("span", "remark", said.remark));
  return node;
}

function listed(reference, id, number) {
  const node = made("li", "", made("b", "", reference.title), " ", chip(reference, id, number));
  node.append(made("br"), made("span", "small", place(reference)));
  return node;
}

function place(reference) {
  const ids = reference.ids.filter((i) => !i.startsWith("url:") && !i.startsWith("title:"));
  const published = [reference.journal, reference.date, reference.volume_pages].filter(Boolean).join(" ");
  return [published, ...ids].filter(Boolean).join(" · ");
}

const KINDS = {
  summary: "Demo summary, not the abstract itself.",
  registry: "The registry's own words.",
};

// The quotes are marked where they stand in the text of the record.
function source(reference, at, id, answer) {
  const number = shown(answer, at);
  const close = button("✕", () => node.hidePopover(), "", "Close");
  const named = { id, class: "source", popover: "auto", role: "dialog", "aria-label": `Source ${number} of the answer` };
  const node = made("div", named, made("div", "bar", made("b", "", `[${number}]`), close));
  node.append(made("p", "title", reference.title), made("p", "small", place(reference)));
  if (reference.retracted) node.append(made("p", "", made("strong", "retracted", "Retracted")));
  if (reference.note) node.append(made("p", "kind", `Note kept with the record: ${reference.note}`));
  if (reference.text) node.append(made("p", "kind", KINDS[reference.text_kind] ?? "The source's own words."));
  const quotes = answer.sentences.filter((said) => said.number === at);
  if (reference.text) node.append(marked(reference.text, quotes));
  if (/^https:\/\/[!#-&(-;=?-_a-z{-~]+$/.test(reference.url))
    node.append(made("a", { href: reference.url, target: "_blank", rel: "noopener noreferrer" }, "Open the record"));
  return node;
}

function marked(text, quotes) {
  const node = made("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text of the record" });
  // The server counts characters, and a string of this language their halves.
  const characters = Array.from(text);
  const cut = (from, to) => characters.slice(from, to).join("");
  let at = 0;
  for (const { start, end } of quotes.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    node.append(visible(cut(at, start)), made("mark", "", cut(start, end)));
    at = end;
  }
  node.append(visible(cut(at)));
  return node;
}

function offered(offer) {
  const { links } = chat;
  const node = made("div", "offer", made("p", "", `This needs research (${offer.takes}). ${offer.why}`));
  const accept = () => post(links.accept, { offer_id: offer.offer_id });
  const start = button("Start research", () => turn("Start research", accept), "start");
  const no = button("Not now", () => turn("No", () => post(links.messages, { message: "no" })));
  node.append(made("div", "choice", start, no));
  add(node);
  start.focus();
}

// What is told is a run, or a message that the form was given, with the answer to small talk. A run that is under way cannot be asked; one
// that ended without a result has nothing to ask.
function about(told) {
  if (told?.answer) return add(made("p", "mine", told.message)), add(made("p", "answer", told.answer));
  if (told?.message && form) $("details").open = true;
  if (told?.message) return say(told.message);
  const id = told?.id ?? "";
  if (id !== runId) {
    runId = id;
    chat = null;
    if (form) $("details").open = false;
    else $(".chat").hidden = true;
    $(".said").replaceChildren();
    $(".said").hidden = true;
  }
  if (form) $(".chat").hidden = !id || !told.tabs?.some((tab) => tab.name === "evidence");
}

$("details")?.addEventListener("toggle", () => $("details").open && $("textarea").focus());
const say = (message) => turn(message, () => sent(message));
for (const one of element.querySelectorAll(".tries button")) one.onclick = () => say(one.textContent);
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = $("textarea").value.trim();
  if (!message || busy) return;
  $("textarea").value = "";
  say(message);
});
$("textarea")?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
watch("value", () => about(props.value));
about(props.value);
