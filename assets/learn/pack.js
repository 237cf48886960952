// The teacher's pack in a tab of its own, from where it is printed: a page without scripts, made by the server.

/** @param {string} html */
export function openPack(html) {
  const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  window.open(url, "_blank");
}
