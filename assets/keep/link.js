// The controls' values → an address (specviz/page/watch/shelf.py).

/** @typedef {string | number | boolean | null | undefined} Value */

/**
 * Only what differs from the `plain` values of a page is named.
 * @param {string[]} names @param {Value[]} values @param {Record<string, Value>} plain @param {string} recorded the run
 * that is shown
 */
export function query(names, values, plain, recorded) {
  const asked = new URLSearchParams();
  if (recorded) asked.set("recorded", recorded);
  for (const [i, name] of names.entries()) {
    const value = values[i];
    const text = String(value ?? ""); // a field without a server gives its number as text
    if (text && text !== String(plain[name] ?? "")) asked.set(name, text);
  }
  return asked;
}

/**
 * Into the clipboard or, where that is refused, into a field to copy from: what is returned is drawn by said.js.
 * @param {string[]} names @param {Record<string, Value>} plain
 * @param {number} longest what every browser, server and proxy on the way takes
 * @param {Value[]} values those of `names`, and the name of the recorded run that is shown
 */
export async function copyLink(names, plain, longest, values) {
  const recorded = String(values[names.length] ?? "");
  const link = `${location.origin}${location.pathname}?${query(names, values, plain, recorded)}`;
  if (link.length > longest) return JSON.stringify({ state: "long" });
  try {
    await navigator.clipboard.writeText(link);
    return JSON.stringify({ state: "copied", at: Date.now() });
  } catch {
    return JSON.stringify({ state: "refused", link });
  }
}

/**
 * What the site decodes: the same prompt and settings. Other models than the site's were asked another kind of prompt
 * and have other drafters: there it takes its own.
 * @param {string[]} names @param {Record<string, Value>} plain `models`: those of the site @param {Value[]} values
 */
export function siteQuery(names, plain, values) {
  const own = values[names.indexOf("models")] === plain.models;
  const meant = values.map((value, i) => (own || !["prompt", "models", "drafter"].includes(names[i]) ? value : null));
  return query(names, meant, plain, "");
}

/**
 * The site beside this page: there the visitor's own browser decodes.
 * @param {string[]} names @param {Record<string, Value>} plain @param {Value[]} values
 */
export function decodeHere(names, plain, values) {
  const link = new URL("site/", location.href);
  link.search = String(siteQuery(names, plain, values));
  window.open(link, "_blank");
  return [];
}
