(...inputs) => {
  document.body.dataset.starting = "";
  return inputs;
}
