() => {
  delete document.body.dataset.starting;
  document.querySelector(".plan")?.scrollIntoView({ block: "nearest" });
  return [];
}
