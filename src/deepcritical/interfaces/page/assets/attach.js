// Documents of the user's own for the next run.
const MOST = 20;
const FILE = /\.(pdf|txt|md)$/i;
const ID = /^((PMID|DOI|NCT)\b[\s:#]*)?(\d{1,9}|PMC\d{3,9}|NCT\d{8}|(https?:\/\/(dx\.)?doi\.org\/)?10\.\d{4,9}\/\S+)$/i;
let chosen = [];

// The server is told a copy: what it is told last must differ from what it was told before.
function changed() {
  props.value = chosen.map(({ id, name }) => ({ id, name }));
  tell(".note", chosen.length ? "The next run reads these too." : "");
  $("ul").replaceChildren(...chosen.map(item));
}

function item(one) {
  const name = one.id ? one.name : `${one.name} (is read …)`;
  return made("li", "", made("span", "", name), button("✕", () => drop(one), "", `Remove ${one.name}`));
}

function drop(one) {
  chosen = chosen.filter((other) => other !== one);
  // What is not deleted now, the server deletes by itself within an hour.
  if (one.id.startsWith("doc_")) fetch(`/api/documents/${one.id}`, { method: "DELETE" }).catch(() => null);
  changed();
}

async function upload(one, file) {
  const body = new FormData();
  body.append("file", file);
  const answer = await fetch("/api/documents", { method: "POST", body }).catch(() => null);
  if (answer?.ok) one.id = (await answer.json()).id;
  else tell(".problem", await why(answer));
  if (!chosen.includes(one)) return one.id && drop(one); // it was removed meanwhile
  if (!one.id) chosen = chosen.filter((other) => other !== one);
  changed();
}

async function add(files) {
  tell(".problem", "");
  const wanted = [...files].filter((file) => FILE.test(file.name));
  if (files.length && !wanted.length) return tell(".problem", "Choose files that end in .pdf, .txt or .md.");
  if (chosen.length + wanted.length > MOST) return tell(".problem", `A run reads at most ${MOST} documents. Choose fewer.`);
  const added = wanted.map((file) => [{ id: "", name: file.name }, file]);
  chosen.push(...added.map(([one]) => one));
  changed();
  for (const [one, file] of added) await upload(one, file); // one at a time: the server reads few at once
}

function addId() {
  const id = $(".id").value.trim();
  tell(".problem", "");
  if (!id) return;
  if (!ID.test(id)) return tell(".problem", `“${id}” is no PMID, PMCID, DOI or NCT number.`);
  if (chosen.length >= MOST) return tell(".problem", `A run reads at most ${MOST} documents.`);
  chosen.push({ id, name: id });
  $(".id").value = "";
  changed();
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
  changed();
});
