// Speaks to /api/chats. Text reaches the page by textContent only.
const ABOUT = {
  quick: [
    "Look something up",
    "Look-ups are answered at once from the sources: papers or trials on something, a PMID, DOI or NCT number. What takes longer is offered as research.",
    "latest trials of metformin in Alzheimer's disease",
  ],
  run: [
    "Ask this run's evidence",
    "Answered from the records of this run alone, each sentence with its quote. What they do not say is not answered.",
    "Is it well tolerated?",
  ],
};
const $ = (selector) => element.querySelector(selector);
let runId = "";
let chat = null;
let answers = 0;
let busy = false;

function made(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return node;
}

// Without characters that could hide or turn round what stands beside them.
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (c) => (/\s/.test(c) ? c : ""));
}

function button(text, act) {
  const node = made("button", "", text);
  node.type = "button";
  node.addEventListener("click", act);
  return node;
}

function add(node) {
  $(".said").hidden = false;
  $(".said").append(node);
  node.scrollIntoView({ block: "nearest" });
  return node;
}

function problem(text) {
  const node = add(made("p", "problem", text));
  node.setAttribute("role", "alert");
}

// Of the form: the key goes from its field into the header of a message, and nowhere else.
function typedIn(name) {
  return document.querySelector(`#${name} :is(input, textarea)`)?.value.trim() ?? "";
}

function secrets() {
  const typed = typedIn("key");
  // The browser sends no others in a header.
  if (!/^[!-~]*$/.test(typed)) throw new Error("The key holds characters that no key has. Copy it once more.");
  return {
    ...(typed && { "X-Model-Key": typed }),
    // Within a page of another site the browser may keep no cookie that says whose the chat is.
    ...(chat?.owner && { Authorization: `Bearer ${chat.owner}` }),
  };
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json", ...secrets() };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  const error = new Error(told ? `${told.detail} ${told.advice}`.trim() : `The server answered ${answer.status}.`);
  error.gone = answer.status === 404;
  throw error;
}

// A chat is opened by its first message, and again where the server has forgotten it.
async function sent(message, again = true) {
  const about = { run_id: runId, model: typedIn("model") };
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

const DRAWN = { chat_answer: answered, research_offered: offered, turn_failed: failed, research_ended: follow };

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

function follow({ run_id }) {
  window.location.assign(`?run=${encodeURIComponent(run_id)}`);
}

function failed(event) {
  problem(`${event.message} ${event.advice}`.trim());
}

function answered(answer) {
  const number = ++answers;
  const id = (n) => `chat-${number}-${n}`;
  const node = made("div", "answer dc-report", made("p", "head", answer.head));
  if (answer.sentences.length) node.append(made("ul", "", ...answer.sentences.map((s) => sentence(s, answer, id))));
  else if (answer.references.length) node.append(made("ol", "", ...answer.references.map((r, at) => listed(r, id(at + 1), at + 1))));
  if (answer.left_out)
    node.append(made("p", "small", `Left out: ${answer.left_out} of the model's sentences, which stand in no record on the question.`));
  node.append(...answer.notices.map((notice) => made("p", "small", `Note: ${notice}`)));
  if (answer.references.length)
    node.append(made("p", "small", `Answered by ${answer.written_by}. For research use, not medical advice.`));
  node.append(...answer.references.map((r, at) => source(r, at + 1, id(at + 1), answer.sentences)));
  add(node);
}

function chip(reference, id, number) {
  const node = made("button", "cite", String(number));
  node.type = "button";
  node.setAttribute("popovertarget", id);
  node.setAttribute("aria-label", visible(`Citation ${number}: ${reference.title}`));
  return node;
}

function sentence(said, answer, id) {
  const words = said.wording === "quote" ? `“${said.text}”` : `Summary: ${said.text}`;
  const node = made("li", "", words, " ", chip(answer.references[said.number - 1], id(said.number), said.number));
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
function source(reference, number, id, sentences) {
  const close = button("✕", () => node.hidePopover());
  close.setAttribute("aria-label", "Close");
  const node = made("div", "source", made("div", "bar", made("b", "", `[${number}]`), close));
  node.id = id;
  node.popover = "auto";
  node.setAttribute("role", "dialog");
  node.setAttribute("aria-label", `Source ${number} of the answer`);
  node.append(made("p", "title", reference.title), made("p", "small", place(reference)));
  if (reference.retracted) node.append(made("p", "", made("strong", "retracted", "Retracted")));
  if (reference.note) node.append(made("p", "kind", `Note kept with the record: ${reference.note}`));
  if (reference.text) node.append(made("p", "kind", KINDS[reference.text_kind] ?? "The source's own words."));
  const quotes = sentences.filter((said) => said.number === number);
  if (reference.text) node.append(marked(reference.text, quotes));
  const link = address(reference.url);
  if (link) node.append(link);
  return node;
}

function marked(text, quotes) {
  const node = made("div", "text");
  node.tabIndex = 0;
  node.setAttribute("role", "region");
  node.setAttribute("aria-label", "Text of the record");
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

function address(url) {
  if (!/^https:\/\/[!#-&(-;=?-_a-z{-~]+$/.test(url)) return null;
  const node = made("a", "", "Open the record");
  node.href = url;
  node.target = "_blank";
  node.rel = "noopener noreferrer";
  return node;
}

function offered(offer) {
  const { links } = chat;
  const node = made("div", "offer", made("p", "", `This needs research (${offer.takes}). ${offer.why}`));
  if (offer.similar.length) {
    node.append(made("p", "small", "Nearly the same was asked before:"));
    node.append(made("ul", "", ...offer.similar.map(similar)));
  }
  const start = button("Start research", () =>
    turn("Start research", () => post(links.accept, { offer_id: offer.offer_id })),
  );
  start.className = "start";
  const no = button("Not now", () => turn("No", () => post(links.messages, { message: "no" })));
  node.append(made("div", "choice", start, no));
  add(node);
  start.focus();
}

function similar(run) {
  const link = made("a", "", run.question);
  link.href = `?run=${encodeURIComponent(run.run_id)}`;
  const told = [run.headline, `${run.references} records`, run.ended_at.slice(0, 10), run.news.told];
  return made("li", "", link, made("br"), made("span", "small", told.filter(Boolean).join(" · ")));
}

// A run that is under way cannot be asked; one that ended without a result has nothing to ask.
function about(run) {
  const id = run?.id ?? "";
  if (id !== runId) reset(id);
  $(".chat").hidden = Boolean(id) && !run.tabs?.some((tab) => tab.name === "evidence");
  words();
}

function reset(id) {
  runId = id;
  chat = null;
  // A report is what people come for: over it the chat is one line until it is opened.
  $("details").open = !id;
  $(".said").replaceChildren();
  $(".said").hidden = true;
}

function words() {
  const [title, told, example] = ABOUT[runId ? "run" : "quick"];
  $("h2").textContent = title;
  $("summary + .about").textContent = told;
  $("textarea").placeholder = example;
}

$("details").addEventListener("toggle", () => runId && $("details").open && $("textarea").focus());
$(".which").addEventListener("click", () => {
  const fold = document.querySelector("#model-and-key button.label-wrap");
  if (!fold.classList.contains("open")) fold.click();
  setTimeout(() => document.querySelector("#model :is(input, textarea)").focus());
});
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const message = $("textarea").value.trim();
  if (!message || busy) return;
  $("textarea").value = "";
  turn(message, () => sent(message));
});
$("textarea").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("form").requestSubmit();
});
watch("value", () => about(props.value));
about(props.value);
