// The addresses of this server, and the switch between dark and light, which this browser remembers.
const KEPT = "deepcritical_theme";
const button = element.querySelector(".theme");

for (const code of element.querySelectorAll("[data-path]")) code.textContent = location.origin + code.dataset.path;

function paint(dark) {
  document.body.classList.toggle("dark", dark);
  button.setAttribute("aria-pressed", String(dark));
}

button.addEventListener("click", () => {
  const dark = !document.body.classList.contains("dark");
  localStorage.setItem(KEPT, dark ? "dark" : "light");
  paint(dark);
});

const chosen = localStorage.getItem(KEPT);
paint(chosen ? chosen === "dark" : document.body.classList.contains("dark"));
