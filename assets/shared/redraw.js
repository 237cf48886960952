// A part of the page is drawn anew, and whoever came by keys goes on where they were.

/**
 * What has the focus in the box hands it to the like of it that then stands in its place.
 * @param {HTMLElement} box @param {() => void} draw @param {HTMLElement} [otherwise] where none does
 */
export function redraw(box, draw, otherwise) {
  const held = /** @type {HTMLElement} */ (document.activeElement);
  if (!box.contains(held)) return draw();
  const alike = () =>
    /** @type {HTMLElement[]} */ ([...box.querySelectorAll(held.localName)]).filter(
      ({ className }) => className === held.className,
    );
  const at = alike().indexOf(held);
  draw();
  (alike()[at] ?? otherwise)?.focus({ preventScroll: true });
}
