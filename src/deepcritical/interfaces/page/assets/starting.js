(...inputs) => {
  document.body.dataset.starting = "";
  // Where the server cannot be reached, the framework says so and no answer comes.
  fetch("/api/health").catch(() => delete document.body.dataset.starting);
  return inputs;
}
