() => {
  delete document.body.dataset.starting;
  return [];
}
