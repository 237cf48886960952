// You are the draft: a person types the next word of an easy sentence, the target looks, keeps it or writes its own.
// Three sentences, beside the small model's guesses at the same places. Temperature is 0.

import { bar, row } from "../shared/bars.js";
import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { following } from "../shared/following.js";
import { still } from "../shared/motion.js";
import { percent } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { openPanel } from "../shared/tabs.js";
import { boxText, visible } from "../shared/tokens.js";
import { ROLES } from "../shared/words.js";
import { chancesOf, outcomeOf, wholeKept } from "./rounds.js";

/** @import { Played } from "../lab/classroom/types.js" */
/** @import { Token } from "../shared/types.js" */
/** @import { Chance, MakeGame } from "./types.js" */

const ROUNDS = 3;
const LOOK = 900; // ms: the look can be seen
const LONGEST = 40; // characters of a guess: it is a word
const SMALL = "small"; // the drafter that plays too

/** @type {MakeGame} */
export function makeGame(words, server) {
  const { texts } = words;
  let first = 0; // of the texts of this game
  let n = 0; // its round
  let points = { own: 0, small: 0 };
  /** @type {Token[]} the text, its special beginning too */
  let text = [];
  /** @type {"ask" | "look" | "told" | "sum"} */
  let stage = "ask";

  const place = el("p.sv-note.sv-game-place");
  const told = el("p.sv-game-told", { "aria-live": "polite" });
  const before = el("span.sv-game-text");
  const field = el("input.sv-input.sv-game-field", {
    "aria-label": words.field,
    maxlength: LONGEST,
    size: 10,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "go",
  });
  const block = el("span.sv-game-block");
  const after = el("span");
  const check = button(words.check, () => {}, { type: "submit", class: "sv-first" });
  const next = button(words.next, () => (stage === "told" && n + 1 < ROUNDS ? begin(n + 1) : sum()), {
    class: "sv-first",
  });
  const again = button(words.again, () => restart((first + ROUNDS) % texts.length));
  const score = el("p.sv-game-score");
  const chances = el("div.sv-game-chances");
  const target = el("p.sv-note");
  const line = el("form.sv-game-line", null, el("p", null, before, " ", field, block, " ", after), check, next);
  const lab = document.body.hasAttribute("data-embed")
    ? null
    : button(words.lab, () => openPanel({ lab: "classroom" }));
  const go = el("div.sv-flow.sv-game-go", null, again, lab);
  const root = el("div.sv-game", { "data-stage": stage }, place, told, line, chances, go, score, target);

  const current = () => texts[(first + n) % texts.length];
  /** @param {"ask" | "look" | "told" | "sum"} now */
  function stand(now) {
    stage = now;
    root.dataset.stage = now;
    field.hidden = now !== "ask";
    block.hidden = now === "ask";
    check.hidden = now !== "ask";
    next.hidden = now !== "told";
    setText(next, words[n + 1 < ROUNDS ? "next" : "sum"]);
    go.hidden = now !== "sum";
    for (const one of [line, score]) one.hidden = now === "sum";
    setText(place, fillText(words.place, { n: n + 1, of: ROUNDS }));
    setText(score, fillText(words.score, points));
    setText(target, [words.target, server.note?.() ?? ""].join(" ").trim());
  }

  /** @param {string} name @param {object} sent */
  const ask = async (name, sent) => {
    const answer = await server[/** @type {"begin" | "score"} */ (name)](sent).catch(() => null);
    const found = typeof answer === "string" ? JSON.parse(answer) : { error: words.lost };
    if (found.error) throw new Error(found.error);
    return found;
  };

  /** @param {number} at */
  function begin(at) {
    const held = root.contains(document.activeElement);
    n = at;
    text = [];
    field.value = "";
    setText(before, visible(current()));
    block.replaceChildren();
    after.replaceChildren();
    chances.replaceChildren();
    setText(told, words.ask);
    stand("ask");
    if (held) field.focus({ preventScroll: true });
  }

  async function look() {
    const typed = following(field.value, current(), false);
    if (stage !== "ask" || !typed) return field.focus();
    const held = root.contains(document.activeElement);
    stand("look");
    block.replaceChildren(el("span.sv-token", { "data-role": "drafted" }, visible(typed.trim())));
    block.setAttribute("data-on", "");
    setText(told, words.looks);
    const seen = new Promise((done) => setTimeout(done, still() ? 0 : LOOK));
    try {
      if (!text.length) text = (await ask("begin", { prompt: current() })).tokens;
      const sent = { words: typed, text: text.map(({ id }) => id), seed: 0 };
      const greedy = await ask("score", { ...sent, temperature: 0, others: [SMALL] });
      const warm = await ask("score", { ...sent, temperature: 1, others: [] });
      await seen;
      show(greedy, warm);
      if (held) next.focus({ preventScroll: true });
    } catch (error) {
      stand("ask");
      setText(told, error instanceof Error ? error.message : words.lost);
      if (held) field.focus({ preventScroll: true });
    }
    block.removeAttribute("data-on");
  }

  /** @param {Played} greedy @param {Played} warm */
  function show(greedy, warm) {
    points.own += Number(wholeKept(greedy.people));
    points.small += Number(wholeKept(greedy.others.find(({ key }) => key === SMALL)));
    block.replaceChildren(...greedy.drafted.map(({ token, verdict }) => box(token, verdict)));
    const added = greedy.emitted.filter(({ role }) => role !== "accepted");
    after.replaceChildren(...added.map(({ token, role }) => box(token, role)));
    setText(told, words[outcomeOf(greedy)]);
    chances.replaceChildren(...likely(chancesOf(greedy, warm)));
    stand("told");
  }

  /** @param {Chance[]} all */
  function likely(all) {
    if (!all.length) return [];
    const rows = all.map(({ token, p, own }) => {
      const name = [boxText(token.text), own ? el("span.sv-unseen", null, ` (${words.yours})`) : null];
      return row(name, [bar("target", p, 1)], [percent(p)], own);
    });
    return [el("p.sv-note", null, words.chances), el("div.sv-bars", null, rows)];
  }

  function sum() {
    const of = ROUNDS;
    const held = root.contains(document.activeElement);
    stand("sum");
    chances.replaceChildren(el("p", null, words.why));
    setText(told, fillText(words.result, { ...points, of }));
    setText(place, words.title);
    if (held) again.focus({ preventScroll: true });
  }

  /** @param {number} at */
  function restart(at) {
    first = at;
    points = { own: 0, small: 0 };
    begin(0);
    field.focus({ preventScroll: true });
  }

  line.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  server.hear?.((sentence) => stage === "look" && setText(told, sentence || words.looks));
  begin(0);
  return { root, focus: () => field.focus({ preventScroll: true }) };
}

/** A token of the line, with its sign. @param {Token} token @param {string} role */
function box(token, role) {
  const sign = el("span.sv-game-sign", { "aria-hidden": "true" }, ROLES[role].glyph);
  const heard = el("span.sv-unseen", null, `, ${ROLES[role].word}`);
  return el("span.sv-token", { "data-role": role }, sign, visible(token.text.trim() || token.text), heard);
}
