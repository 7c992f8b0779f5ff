(run) => {
  const url = new URL(window.location.href);
  if (run?.id) url.searchParams.set("run", run.id);
  if (url.href !== window.location.href) window.history.pushState({}, "", url);
  // Within a page of Hugging Face the address that people see is the outer one.
  if (window.parent !== window)
    window.parent.postMessage({ queryString: url.search.slice(1), hash: "" }, "https://huggingface.co");
  return [];
}
