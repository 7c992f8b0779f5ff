// Documents of the user's own for the next run. Text reaches the page by textContent only.
const $ = (selector) => element.querySelector(selector);
const MOST = 20;
const FILE = /\.(pdf|txt|md)$/i;
const ID = /^((PMID|DOI|NCT)\b[\s:#]*)?(\d{1,9}|PMC\d{3,9}|NCT\d{8}|(https?:\/\/(dx\.)?doi\.org\/)?10\.\d{4,9}\/\S+)$/i;
let chosen = [];

function problem(text) {
  $(".problem").textContent = text;
  $(".problem").hidden = !text;
}

// The server is told a copy: what it is told last must differ from what it was told before.
function tell() {
  props.value = chosen.map(({ id, name }) => ({ id, name }));
  $(".note").textContent = chosen.length ? "The next run reads these too." : "";
  $(".note").hidden = !chosen.length;
  $("ul").replaceChildren(...chosen.map(item));
}

function item(one) {
  const line = document.createElement("li");
  const name = document.createElement("span");
  name.textContent = one.id ? one.name : `${one.name} (is read …)`;
  const remove = document.createElement("button");
  remove.type = "button";
  remove.textContent = "✕";
  remove.setAttribute("aria-label", `Remove ${one.name}`);
  remove.addEventListener("click", () => drop(one));
  line.append(name, remove);
  return line;
}

function drop(one) {
  chosen = chosen.filter((other) => other !== one);
  // What is not deleted now, the server deletes by itself within an hour.
  if (one.id.startsWith("doc_")) fetch(`/api/documents/${one.id}`, { method: "DELETE" }).catch(() => null);
  tell();
}

async function why(answer) {
  const told = await answer.json().catch(() => null);
  return [told?.detail ?? `The server answered ${answer.status}.`, told?.advice].filter(Boolean).join(" ");
}

async function upload(one, file) {
  const body = new FormData();
  body.append("file", file);
  const answer = await fetch("/api/documents", { method: "POST", body }).catch(() => null);
  if (answer?.ok) one.id = (await answer.json()).id;
  else problem(answer ? await why(answer) : "The server does not answer.");
  if (!chosen.includes(one)) return one.id && drop(one); // it was removed meanwhile
  if (!one.id) chosen = chosen.filter((other) => other !== one);
  tell();
}

async function add(files) {
  problem("");
  const wanted = [...files].filter((file) => FILE.test(file.name));
  if (files.length && !wanted.length) return problem("Choose files that end in .pdf, .txt or .md.");
  if (chosen.length + wanted.length > MOST) return problem(`A run reads at most ${MOST} documents. Choose fewer.`);
  const added = wanted.map((file) => [{ id: "", name: file.name }, file]);
  chosen.push(...added.map(([one]) => one));
  tell();
  for (const [one, file] of added) await upload(one, file); // one at a time: the server reads few at once
}

function addId() {
  const id = $(".id").value.trim();
  problem("");
  if (!id) return;
  if (!ID.test(id)) return problem(`“${id}” is no PMID, PMCID, DOI or NCT number.`);
  if (chosen.length >= MOST) return problem(`A run reads at most ${MOST} documents.`);
  chosen.push({ id, name: id });
  $(".id").value = "";
  tell();
}

for (const kind of ["files", "folder"]) {
  $(`.add-${kind}`).addEventListener("click", () => $(`.${kind}`).click());
  $(`.${kind}`).addEventListener("change", (event) => {
    add([...event.target.files]);
    event.target.value = "";
  });
}
$(".add-id").addEventListener("click", addId);
$(".id").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  addId();
});
watch("value", () => {
  // The server empties it once a run has begun with them.
  if (props.value || !chosen.length) return;
  chosen = [];
  tell();
});
