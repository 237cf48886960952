// Light or dark as the visitor's system prefers, or as it is `said`.

/** @param {string | null} [said] */
export function followTheme(said) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    document.documentElement.classList.toggle("dark", said === "dark" || (said !== "light" && dark.matches));
  };
  dark.addEventListener("change", paint);
  paint();
}
