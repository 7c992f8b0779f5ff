() => {
  try {
    const kept = JSON.parse(sessionStorage.getItem("deepcritical_plan"));
    if (Array.isArray(kept) && kept.length === 4) return kept.map(String);
  } catch {
    sessionStorage.removeItem("deepcritical_plan");
  }
  return ["", "", "", ""];
}
