// Sorting and filtering of a table whose rows the server has drawn. Rows are moved and hidden, no more.
function sortable(place, table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const key = (row) => row.cells[column].dataset.sort;
    head.querySelector("button").onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...[...body.rows].sort((a, b) => compared(key(a), key(b), down)));
    };
  });
  const form = place.querySelector("form.filters");
  if (!form) return;
  form.onsubmit = (event) => event.preventDefault();
  form.oninput = () => filter(form, body);
  // The fields are emptied after the event.
  form.onreset = () => setTimeout(() => filter(form, body));
}

// What is shown of a table as a file; a cell that a spreadsheet would calculate is made text.
function save(table) {
  const cell = (one) => one.querySelector("input")?.checked ?? one.textContent.trim().replace(/\s+/g, " ").replace(/^(?=[=+@-])/, "'");
  const rows = [...table.rows].filter((row) => !row.hidden);
  const lines = rows.map((row) => [...row.cells].map((one) => `"${String(cell(one)).replaceAll('"', '""')}"`).join(","));
  const href = URL.createObjectURL(new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
  const link = made("a", { href, download: `${table.getAttribute("aria-label").toLowerCase().replaceAll(" ", "-")}.csv` });
  link.click();
  URL.revokeObjectURL(link.href);
}

// What is not known comes last, whichever way it is sorted.
function compared(a, b, down) {
  if (!a || !b) return Boolean(b) - Boolean(a);
  const order = a.localeCompare(b, "en", { numeric: true });
  return down ? -order : order;
}

function filter(form, body) {
  const wanted = {};
  for (const field of form.querySelectorAll("[data-filter]")) wanted[field.dataset.filter] = field.value.trim();
  let shown = 0;
  for (const row of body.rows) {
    row.hidden = !fits(row, wanted);
    shown += !row.hidden;
  }
  form.querySelector("output").textContent = `${shown} of ${body.rows.length} shown`;
}

function fits(row, { text, since, level, grade, direction, source }) {
  const all = `${row.textContent} ${row.dataset.text}`.toLowerCase();
  return (
    (text ?? "").toLowerCase().split(/\s+/).every((word) => all.includes(word)) &&
    (!since || Number(row.dataset.year) >= Number(since)) &&
    (!level || row.dataset.level === level) &&
    (!grade || row.dataset.grade === grade) &&
    (!source || row.dataset.source === source) &&
    (!direction || row.dataset.direction.split("|").includes(direction))
  );
}
