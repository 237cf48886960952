// What a visitor's own browser keeps for the next visit, and nobody else: settings, runs, answers. Where a browser
// keeps nothing, or has no room, the page works all the same.

const OWN = "specviz.";

/** @param {string} name @returns {any} what was kept under it; null if nothing was, or nothing that can be read */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(OWN + name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name @param {unknown} value null forgets it @returns {boolean} whether there was room */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(OWN + name);
    else localStorage.setItem(OWN + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Everything is forgotten; who still holds some of it hears of it. */
export function forgetAll() {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(OWN)) localStorage.removeItem(name);
  } catch {
    // nothing was kept
  }
  document.dispatchEvent(new CustomEvent("specviz:forget"));
}
