(...plan) => {
  // A plan under review, with what was edited of it, outlives a reload of this tab.
  if (plan[0]) sessionStorage.setItem("deepcritical_plan", JSON.stringify(plan));
  else sessionStorage.removeItem("deepcritical_plan");
  return [];
}
