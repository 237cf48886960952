async (...values) => {
  // The controls' values → an address, into the clipboard or, where that is refused, into a field to copy from. NAMES, PLAIN and
  // LONGEST are put in front (specviz/page/watch/shelf.py). What is returned is drawn by assets/keep/said.js.
  const recorded = values.pop(), query = new URLSearchParams();
  if (recorded) query.set("recorded", recorded);
  NAMES.forEach((name, i) => {
    const value = values[i];
    if (value === null || value === undefined || value === "" || value === PLAIN[name]) return;
    query.set(name, String(value));
  });
  const link = location.origin + location.pathname + "?" + query;
  if (link.length > LONGEST) return JSON.stringify({ state: "long" });
  try {
    await navigator.clipboard.writeText(link);
    return JSON.stringify({ state: "copied", at: Date.now() });
  } catch {
    return JSON.stringify({ state: "refused", link });
  }
}
