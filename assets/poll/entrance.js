// The way into a room: its link and, large until somebody closes it, the same as a picture. Q brings it back.

import { button } from "../shared/controls.js";
import { el, setText, whileHere, within } from "../shared/dom.js";
import { readRoom, showCode } from "../shared/room.js";

/** @import { OpenRoom } from "./types.js" */

/**
 * A link that only this machine reaches has no picture, and says so until somebody is in.
 * @param {Record<string, string>} words
 * @param {(link: string) => Promise<{ picture?: string | null }>} loadPicture
 */
export function entrance(words, loadPicture) {
  const link = el("a.sv-door", { target: "_blank", rel: "noopener" });
  const note = el("span.sv-note", null, words.room_local);
  const code = el("span.sv-qr");
  const toggle = button("", () => turn(), { class: "sv-link" });
  const root = el("div.sv-entrance.sv-flow", null, link, toggle, note, code);
  let codeLink = "";
  const turn = () => {
    showCode(Boolean(code.hidden));
    draw();
  };
  const draw = () => {
    code.hidden = Boolean(readRoom()?.codeClosed) || !code.firstChild;
    toggle.hidden = !code.firstChild;
    setText(toggle, code.hidden ? words.room_code_open : words.room_code_close);
    root.toggleAttribute("data-code", !code.hidden);
  };
  whileHere(root, window, "keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = /** @type {KeyboardEvent} */ (event);
    const isTyped = within(event, "input, select, textarea");
    if (key.toLowerCase() === "q" && !(ctrlKey || metaKey || altKey || isTyped) && toggle.offsetWidth) turn();
  });
  return {
    root,
    /** @param {OpenRoom | null} open @param {boolean} isEmpty nobody is in */
    show(open, isEmpty) {
      root.hidden = !open;
      note.hidden = !open?.local || !isEmpty;
      if (open && codeLink !== open.link) {
        codeLink = open.link;
        link.href = open.link;
        setText(link, open.link.replace(/^https?:\/\//, ""));
        code.replaceChildren();
        if (!open.local)
          loadPicture(open.link).then(({ picture }) => {
            if (picture && codeLink === open.link)
              code.replaceChildren(el("img", { src: picture, alt: words.room_qr }));
            draw();
          });
      }
      draw();
    },
  };
}
