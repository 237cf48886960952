// The field in which people guess, and the tokens that their words are cut into while they type.

import { continuation } from "../../shared/continuation.js";
import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";

/** @import { Token } from "../../shared/types.js" */

const DELAY_MS = 180; // ms without a key before the server is asked how words are cut

/**
 * @param {Record<string, any>} words @param {() => string} text what stands before
 * @param {(words: string) => Promise<Token[] | null>} pieces @param {(words: string) => void} verify
 */
export function makeGuessForm(words, text, pieces, verify) {
  const label = el("label.sv-strong", { for: "ppl-words" }, words.guess);
  const most = {
    id: "ppl-words",
    maxlength: words.words_most,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  };
  const field = el("input.sv-input", { ...most, "aria-describedby": "ppl-cut" });
  const inside = el("input", { type: "checkbox" });
  const tokenLine = el("p.ppl-cut.sv-muted", { id: "ppl-cut", role: "status" }, words.cut_empty);
  const submit = button(words.verify, () => {}, { type: "submit", class: "sv-first lab-run" });
  const guessText = () => continuation(field.value, text(), inside.checked);
  let latest = 0;
  const showTokens = async () => {
    const request = ++latest;
    const guess = guessText();
    const tokens = guess ? await pieces(guess) : null;
    if (request !== latest) return;
    const full =
      field.value.length >= words.words_most ? ` ${fillText(words.cut_long, { most: words.words_most })}` : "";
    if (!tokens) return setText(tokenLine, words.cut_empty);
    const long =
      tokens.length > words.most ? ` ${fillText(words.too_many, { n: tokens.length, most: words.most })}` : "";
    tokenLine.replaceChildren(`${words.cut} `, ...tokens.map((token) => chip(token)), long, full);
  };
  let timer = 0;
  const scheduleTokens = () => {
    clearTimeout(timer);
    timer = window.setTimeout(showTokens, DELAY_MS);
  };
  field.addEventListener("input", scheduleTokens);
  inside.addEventListener("change", scheduleTokens);
  const root = el(
    "form.ppl-guess",
    null,
    label,
    el("div.ppl-line.sv-flow", null, field, submit),
    el("label.ppl-inside.sv-muted", null, inside, ` ${words.inside}`),
    tokenLine,
  );
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    verify(guessText());
  });
  return {
    root,
    /** @param {string} player */
    setPlayer: (player) => setText(label, player === words.class ? words.guess : fillText(words.guess_of, { player })),
    clear() {
      field.value = "";
      inside.checked = false;
      latest++;
      setText(tokenLine, words.cut_empty);
    },
    focus: () => field.focus(),
    /** @param {boolean} on */
    enable(on) {
      field.disabled = !on;
      submit.disabled = !on;
    },
  };
}
