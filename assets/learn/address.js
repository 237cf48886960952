// The address names the chapter that is on the screen: ?chapter=5.

/**
 * The chapter that an address asks for, from 0; null if it asks for none.
 * @param {string} search @param {number} chapters how many there are
 */
export function asked(search, chapters) {
  const n = new URLSearchParams(search).get("chapter") || "";
  return /^[1-9]\d?$/.test(n) && Number(n) <= chapters ? Number(n) - 1 : null;
}

/** The same address with this chapter, or with none. @param {string} href @param {number | null} chapter */
export function naming(href, chapter) {
  const address = new URL(href);
  if (chapter === null) address.searchParams.delete("chapter");
  else address.searchParams.set("chapter", String(chapter + 1));
  return address.href;
}

/** A step that Back takes back. @param {number | null} chapter */
export function keepAddress(chapter) {
  const address = naming(location.href, chapter);
  if (address !== location.href) history.pushState(history.state, "", address);
}
