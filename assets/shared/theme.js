// Light or dark as the visitor's system prefers, or as `scheme` says.

/** @param {string | null} [scheme] */
export function followTheme(scheme) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => document.documentElement.classList.toggle("dark", scheme ? scheme === "dark" : dark.matches);
  dark.onchange = set;
  set();
}
