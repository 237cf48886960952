// The field in which people guess, and the tokens that their words are cut into while they type.

import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { following } from "../../shared/following.js";
import { fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";

/** @import { Token } from "../../shared/types.js" */

const WAIT = 180; // ms without a key before the server is asked how words are cut

/**
 * @param {Record<string, any>} words @param {() => string} text what stands before
 * @param {(words: string) => Promise<Token[] | null>} pieces @param {(words: string) => void} verify
 */
export function makeGuess(words, text, pieces, verify) {
  const label = el("label", { for: "ppl-words" }, words.guess);
  const most = {
    id: "ppl-words",
    maxlength: words.words_most,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  };
  const field = el("input.sv-input", { ...most, "aria-describedby": "ppl-cut" });
  const inside = el("input", { type: "checkbox" });
  const cut = el("p.ppl-cut", { id: "ppl-cut", role: "status" }, words.cut_empty);
  const send = button(words.verify, () => {}, { type: "submit", class: "sv-first lab-run" });
  const said = () => following(field.value, text(), inside.checked);
  let asked = 0;
  const show = async () => {
    const mine = ++asked;
    const typed = said();
    const tokens = typed ? await pieces(typed) : null;
    if (mine !== asked) return;
    const full =
      field.value.length >= words.words_most ? ` ${fillText(words.cut_long, { most: words.words_most })}` : "";
    if (!tokens) return setText(cut, words.cut_empty);
    const long =
      tokens.length > words.most ? ` ${fillText(words.too_many, { n: tokens.length, most: words.most })}` : "";
    cut.replaceChildren(`${words.cut} `, ...tokens.map((token) => chip(token)), long, full);
  };
  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(show, WAIT);
  };
  field.addEventListener("input", soon);
  inside.addEventListener("change", soon);
  const root = el(
    "form.ppl-guess",
    null,
    label,
    el("div.ppl-line", null, field, send),
    el("label.ppl-inside", null, inside, ` ${words.inside}`),
    cut,
  );
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    verify(said());
  });
  return {
    root,
    /** @param {string} player */
    ask: (player) => setText(label, player === words.class ? words.guess : fillText(words.guess_of, { player })),
    clear() {
      field.value = "";
      inside.checked = false;
      asked++;
      setText(cut, words.cut_empty);
    },
    focus: () => field.focus(),
    /** @param {boolean} on */
    enable(on) {
      field.disabled = !on;
      send.disabled = !on;
    },
  };
}
