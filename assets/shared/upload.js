// A file goes in by the button's own input, so that it is checked and read like any other, wherever it came from.

/** @param {FileList} files one of them */
export function upload(files) {
  const open = document.querySelector("#open");
  const input = /** @type {HTMLInputElement | null | undefined} */ (
    open?.parentElement?.querySelector("input[type=file]")
  );
  if (!input) return;
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}
