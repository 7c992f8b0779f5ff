(...inputs) => {
  document.body.dataset.starting = "";
  // Where the server cannot be reached, no answer comes.
  const told = document.querySelector(".results > .problem");
  if (told) told.hidden = true;
  fetch("/api/health").catch(() => {
    delete document.body.dataset.starting;
    if (!told) return;
    told.textContent = "The server cannot be reached. Your question is kept in its field. Check the connection, then ask again.";
    told.hidden = false;
  });
  return inputs;
}
