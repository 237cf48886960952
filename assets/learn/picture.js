// What the pictures of chapters share: beats, their moments, each with the sentence that says what is seen then; views one
// after the other; positions, tokens, recorded rounds; the map of the speedup; what a model's weights weigh.

import { upTo } from "../player/clock.js";
import { bar, boxText, button, el, line, query, row, setText, share, table } from "../player/dom.js";
import { makeRound } from "../player/round.js";
import { fillText, formatted, number, percent, ROLES } from "../player/words.js";
import { choices } from "../shared/exercise.js";
import { ALPHAS, bestLength, fractionalIndex, LENGTHS, shadeNode, speedupOf } from "../shared/formulas.js";
import { PAGE } from "./lesson.js";

/** @import { Beat, LocalPassTimes, ModelWeights, Picture, Sentence, Stage, TextToken, View } from "./types.js" */
/** @import { Cost } from "../shared/formulas.js" */
/** @import { Child, Role, Round } from "../shared/types.js" */

/** @param {string} kind the class of the picture
 * @param {(View & { word: string, beatMs?: number })[]} parts `beatMs`: of its own beats, if not `usualMs`
 * @param {number} usualMs of a beat @param {Stage} stage @returns {Picture} */
export function views(kind, parts, usualMs, stage) {
  const beats = /** @type {Beat[]} */ ([]);
  let end = 0;
  const spans = parts.map(({ beatMs = usualMs, ...view }) => {
    const [from, start] = [beats.length, end];
    beats.push(...evenBeats(view.sentences, beatMs).map(({ at, sentence }) => ({ at: start + at, sentence })));
    end += view.sentences.length * beatMs;
    return { ...view, from, start, until: beats.length, end };
  });
  const buttons = spans.map((part) =>
    button(part.word, () => {
      stage.player?.clock.pause();
      stage.player?.clock.seek(part.end - 1); // its last beat
    }),
  );
  const choice = parts.length > 1 ? el("div.lrn-views.sv-flow", { role: "group" }, buttons) : null;
  return {
    node: el(`div.${kind}.sv-stack`, null, choice, ...spans.map((part) => part.node)),
    beats,
    tail: end - beats[beats.length - 1].at,
    paint(t, i, anew) {
      spans.forEach((part, k) => {
        const current = i >= part.from && i < part.until;
        part.node.hidden = !current;
        buttons[k].setAttribute("aria-pressed", String(current));
        if (current) part.show?.(i - part.from, anew, t - part.start);
      });
    },
  };
}

/** Beats at even distances, `beatMs` milliseconds apart.
 * @param {Sentence[]} sentences @param {number} beatMs @returns {Beat[]} */
export function evenBeats(sentences, beatMs) {
  return sentences.map((sentence, i) => ({ at: i * beatMs, sentence }));
}

/** The beat that time t is in. @param {Beat[]} beats @param {number} t */
export function beatAt(beats, t) {
  return Math.max(0, upTo(beats, t, (beat) => beat.at) - 1);
}

/** What is drawn of a beat, once and not at every frame; `anew` once more. @param {(i: number) => void} draw */
export function onceABeat(draw) {
  let last = -1;
  return (/** @type {number} */ i, anew = false) => {
    if (i === last && !anew) return;
    last = i;
    draw(i);
  };
}

/** Where a step goes: a moment is seen whole just before the next one begins.
 * @param {Beat[]} beats @param {number} duration */
export function beatEnds(beats, duration) {
  return beats.map((_, i) => (i + 1 < beats.length ? beats[i + 1].at - 1 : duration));
}

/** @param {string} name of the inputs @param {string[]} words one each @param {number} first the one at first
 * @param {(at: number) => void} onChoose */
export function positionChoice(name, words, first, onChoose) {
  const options = words.map((word, at) => /** @type {[number, string]} */ ([at, word]));
  const { root, show } = choices(PAGE.position, name, options, first, onChoose);
  return { root: el("div.sv-flow", null, PAGE.position, root), show };
}

/** On one scale, beside what both have.
 * @param {Child} name @param {{ p: number, q: number }} chances @param {number} top the end of the scale
 * @param {(chance: number) => string} format @param {boolean} marked */
export function pqRow(name, { p, q }, top, format, marked) {
  const bars = [bar("shared", Math.min(p, q), top), bar("p", p, top), bar("q", q, top)];
  return row(name, bars, [fillText(PAGE.pq, formatted({ p, q }, format))], marked);
}

/** @param {string} text @param {Role | "prompt" | ""} role "" is: not there yet */
export function tokenBox(text, role) {
  const node = el("span.sv-token.lrn-token", null, el("bdi", null, boxText(text)), el("span.sv-unseen"));
  setRole(node, role);
  return node;
}

/** @param {HTMLElement} node @param {Role | "prompt" | ""} role */
export function setRole(node, role) {
  if (node.dataset.role === role) return;
  node.dataset.role = role;
  node.dataset.glyph = role && role !== "prompt" && role !== "plain" ? ROLES[role].glyph : "";
  setText(query(node, ".sv-unseen"), role && role !== "prompt" ? `, ${ROLES[role].word} ` : " ");
}

/** The text before a round, without what stood there and was thrown away.
 * @param {TextToken[]} before @param {...Child} more */
export function flow(before, ...more) {
  const boxes = before.map(({ text, role }) => tokenBox(text, role === "prompt" ? "prompt" : "plain"));
  return el("div.lrn-flow.sv-flow", null, boxes, more);
}

const RULE = { greedy: false, verifier: "rejection", theta: 1 }; // of all scenes (specviz/page/learn/chapter.py)

/** @param {Round[]} rounds @param {string[]} before the token before each of them
 * @param {{ mask?: boolean, caches?: boolean, states?: boolean }} parts */
export function roundPicture(rounds, before, parts) {
  const view = makeRound(RULE, rounds, null, parts);
  const last = (/** @type {number} */ i) => ({ id: 0, text: before[i], partial: false });
  return {
    root: view.root,
    /** @param {number} t @param {number} [i] which of them */
    show: (t, i = 0) => view.move(rounds[i], t, () => ({ last: last(i), read: [] })),
  };
}

export const PAIR_SIGN = "◇";

/** @param {number} alpha @param {number} K of the pair */
export function makeMap(alpha, K) {
  const cells = LENGTHS.map(() => ALPHAS.map(() => el("span")));
  const rows = LENGTHS.map((K, i) => line(String(K), cells[i])).reverse();
  const caption = el("caption.sv-unseen", null, PAGE.map);
  const grid = table(".lrn-map", [PAGE.map_K, ...ALPHAS.map(oneDigitShare)], rows, caption);
  const mark = pairMark(alpha, K);
  return {
    root: el("div.lrn-map-frame", null, grid, mark),
    /** @param {Cost} cost @param {boolean} elsewhere the numbers under the pair's own point are of another pair then */
    show(cost, elsewhere) {
      ALPHAS.forEach((alpha, j) => {
        const best = bestLength(alpha, cost);
        LENGTHS.forEach((K, i) => {
          const speedup = speedupOf(alpha, K, cost);
          const cell = /** @type {HTMLElement} */ (cells[i][j].parentElement);
          shadeNode(cell, speedup);
          cell.toggleAttribute("data-best", K === best && speedup > 1);
          setText(cells[i][j], number(speedup, speedup < 10 ? 2 : 1));
        });
      });
      mark.toggleAttribute("data-elsewhere", elsewhere);
    },
  };
}

/** A share of 1 with one digit, as a head of a column has room for. @param {number} value */
export const oneDigitShare = (value) => number(value, 1).replace(/^0/, "");

/** Columns are of one width, rows of one height; the first is the head. @param {number} alpha @param {number} K */
function pairMark(alpha, K) {
  const node = el("span.lrn-spot", { "aria-hidden": "true" }, PAIR_SIGN);
  node.style.left = share(1.5 + fractionalIndex(ALPHAS, alpha), ALPHAS.length + 1);
  node.style.top = share(1.5 + LENGTHS.length - 1 - fractionalIndex(LENGTHS, K), LENGTHS.length + 1);
  return node;
}

/** What so many passes read, as it is written: so many times what is written of one, so that a reader can multiply.
 * @param {ModelWeights} model @param {number} [passes] */
export function megabytes({ bytes }, passes = 1) {
  return number(Math.round(bytes / 1e6) * passes, 0);
}

/**
 * Two operations with each weight for each of n tokens, and which share of a pass over one token they are at that pace;
 * the weights are read once a pass. By milliseconds, so in billions a second; `each`: operations while a byte is read.
 * @param {LocalPassTimes} measurement @param {number} n
 */
export function bound({ parameters, bytes, ms }, n) {
  return {
    n,
    operations: number((2 * parameters * n) / ms[n] / 1e6, 0),
    share: percent(Math.min(1, ms[n] / n / ms[1])),
    read: number(bytes / ms[1] / 1e6, 1),
    each: number((2 * parameters * n * ms[1]) / ms[n] / bytes, 1),
  };
}
