// Light or dark as the visitor's system prefers, or as it is `said`.

/** @param {string | null} [said] */
export function followTheme(said) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => document.documentElement.classList.toggle("dark", said ? said === "dark" : dark.matches);
  dark.onchange = set;
  set();
}
