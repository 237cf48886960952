// The address names what is on the screen: ?chapter=5 in Learn, ?lab=luck&lab_seeds=30 in the Lab, neither in Watch.
// Whoever comes onto the screen names itself and takes away what named another.

/** Names that belong to Learn or to the Lab. */
export const TAB_PARAMETERS = /^(chapter|lab(_.*)?)$/;

/**
 * The same address with these names only, of those that name a tab.
 * @param {string} href @param {Record<string, string>} parameters
 */
export function addressWith(href, parameters) {
  const address = new URL(href);
  for (const name of [...address.searchParams.keys()]) if (TAB_PARAMETERS.test(name)) address.searchParams.delete(name);
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address.href;
}

/**
 * A step that Back takes back; or, `same`, more of what the address already names.
 * @param {Record<string, string>} parameters @param {boolean} [same]
 */
export function keepAddress(parameters, same = false) {
  const address = addressWith(location.href, parameters);
  if (address === location.href) return;
  if (same) history.replaceState(history.state, "", address);
  else history.pushState(history.state, "", address);
}
