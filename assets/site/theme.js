// Light or dark: as the address says (?theme=dark), else as the visitor's system prefers.

export function followTheme() {
  const said = new URLSearchParams(location.search).get("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    const on = said === "dark" || (said !== "light" && dark.matches);
    document.documentElement.classList.toggle("dark", on);
  };
  dark.addEventListener("change", paint);
  paint();
}
