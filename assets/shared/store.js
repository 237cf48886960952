// What a visitor's own browser keeps for the next visit, and nobody else: settings, runs, answers. Where a browser
// keeps nothing, or has no room, the page works all the same.

const OWN = "specviz.";
export const ROOM = "room"; // how the name of a teacher's open room begins

/** @param {string} name @returns {any} what was kept under it; null if nothing was, or nothing that can be read */
export const readStored = (name) => read(() => localStorage, name);

/** @param {string} name @param {unknown} value null forgets it @returns {boolean} whether there was room */
export const writeStored = (name, value) => write(() => localStorage, name, value);

/** The same of what this tab alone keeps, at this address, until it is closed. @param {string} name @returns {any} */
export const readTabStored = (name) => read(() => sessionStorage, `${name} ${location.pathname}`);

/** @param {string} name @param {unknown} value */
export const writeTabStored = (name, value) => write(() => sessionStorage, `${name} ${location.pathname}`, value);

/** Everything is forgotten, but a room that pupils are in; who still holds some of it hears of it. */
export function forgetAll() {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(OWN) && !name.startsWith(OWN + ROOM)) localStorage.removeItem(name);
  } catch {
    // nothing was kept
  }
  document.dispatchEvent(new CustomEvent("specviz:forget"));
}

/** @param {() => Storage} where asking for it may fail already @param {string} name */
function read(where, name) {
  try {
    return JSON.parse(where().getItem(OWN + name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {() => Storage} where @param {string} name @param {unknown} value */
function write(where, name, value) {
  try {
    if (value === null) where().removeItem(OWN + name);
    else where().setItem(OWN + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
