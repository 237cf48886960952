// The whole page takes a file that is dropped on it, as the button Open run does (specviz/page/keep/files.py).

import { el, whileHere } from "../player/dom.js";
import { upload } from "../player/page.js";

/** @import { Mount } from "../shared/types.js" */

/**
 * @param {Mount<{ words: { cue: string } }> & { dropped: () => void }} mount `dropped`: something that is not one file
 */
export function drop({ element, props, dropped }) {
  const cue = el("div.sv-drop", { hidden: "", "aria-hidden": "true" }, el("p", null, props.words.cue));
  document.body.append(cue);
  let inside = 0; // a drag enters and leaves each element that it passes

  function hideCue() {
    inside = 0;
    cue.hidden = true;
  }
  /** @param {string} name @param {(data: DataTransfer) => void} act */
  function listenToDrag(name, act) {
    const onDrag = (/** @type {DragEvent} */ event) => {
      const data = event.dataTransfer;
      if (!data?.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation(); // no field of the page takes it instead
      act(data);
    };
    whileHere(element, window, name, onDrag, true);
  }
  listenToDrag("dragenter", () => {
    inside += 1;
    cue.hidden = false;
  });
  listenToDrag("dragover", (data) => {
    data.dropEffect = "copy";
  });
  listenToDrag("dragleave", () => {
    inside -= 1;
    if (inside <= 0) hideCue();
  });
  listenToDrag("drop", (data) => {
    hideCue();
    passFile(data, dropped);
  });
}

/** @param {DataTransfer} data @param {() => void} dropped */
function passFile({ files, items }, dropped) {
  const folder = [...items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
  if (files.length === 1 && !folder) upload(files);
  else dropped();
}
