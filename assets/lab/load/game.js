// The budget as a game: eight recorded texts, N positions to check in the next pass, handed out evenly, by the draft's
// chances or by hand; then what the target accepted.

import { logarithmic } from "../../chart/axis.js";
import { button } from "../../shared/button.js";
import { choices } from "../../shared/choices.js";
import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { wholeIn } from "../choice.js";
import { makeSlider } from "../slider.js";
import { acceptedIn, gain, makeHandouts, pathChances, tokensOf } from "./budget.js";
import { drawBudget } from "./charts.js";

/** @import { Passes } from "../../shared/hardware.js" */
/** @import { Settings } from "../types.js" */
/** @import { Recorded, Text } from "./budget.js" */

/** @typedef {"evenly" | "chances" | "hand"} Way */
/** @typedef {ReturnType<typeof makeRow>} Row */

const WAYS = /** @type {Way[]} */ (["evenly", "chances", "hand"]);
const FIRST = 16; // positions of a budget at first
const NAME = 28; // letters of a prompt that name its text
const SCALE = logarithmic(0.001, 1);

/**
 * @param {Recorded} recorded @param {Record<string, string>} words @param {Settings} asked
 * @param {() => Passes | null} passesNow over so many texts, null where none were measured
 * @param {() => number} width @param {() => void} changed
 */
export function makeGame(recorded, words, asked, passesNow, width, changed) {
  const { K, texts } = recorded;
  const [all, passes] = [K * texts.length, texts[0].accepted.length];
  const handouts = makeHandouts(recorded);
  let N = wholeIn(asked.budget ?? "", [0, all]) ?? FIRST;
  let own = handIn(asked.hand, texts.length, K); // null until something is handed out by hand
  let way = WAYS.find((one) => one === asked.share && (one !== "hand" || own)) ?? "evenly";
  let at = 0;
  let [verified, seen] = [false, false]; // this pass; any

  const shares = { ...handouts, hand: () => () => own ?? [] };
  const counts = (/** @type {Way} */ which) => shares[which](N);
  const ways = () => WAYS.filter((one) => one !== "hand" || (own && sum(own) <= N));

  const budget = makeSlider(words.budget, [0, all, 1], N, String, (value) => move(() => (N = value)));
  const pick = choices(
    words.share,
    "lab-share",
    WAYS.map((one) => /** @type {[Way, string]} */ ([one, words[`share_${one}`]])),
    way,
    (one) =>
      move(() => {
        if (one === "hand") own ??= counts(way)(at);
        way = one;
      }),
  );
  const rows = texts.map((text, i) =>
    makeRow(text, K, words, (by) =>
      move(() => {
        own = counts(way)(at).map((n, k) => (k === i ? n + by : n));
        way = "hand";
      }),
    ),
  );
  const state = el("p", { role: "status" });
  const verify = button(words.verify, () => move(() => (verified = seen = true)), { class: "sv-first lab-run" });
  const next = button(words.next, () =>
    move(() => {
      at = (at + 1) % passes;
      verified = false;
    }),
  );
  const result = el("div.lab-stack");

  /** @param {() => unknown} change */
  function move(change) {
    change();
    draw();
    changed();
  }

  function draw() {
    const now = counts(way)(at);
    const left = N - sum(now);
    pick.show(way);
    rows.forEach((row, i) => {
      row.show(texts[i].q[at], now[i], verified ? texts[i].accepted[at] : null, left > 0);
    });
    verify.disabled = verified || left < 0;
    setText(state, left < 0 ? fillText(words.over, { n: sum(now), N }) : sentence(now));
    result.hidden = !seen || left < 0;
    if (!result.hidden) drawResult();
  }

  /** @param {number[]} now */
  function sentence(now) {
    const said = fillText(words.spent, { n: sum(now), N, pass: at + 1, passes });
    if (!verified) return said;
    const accepted = acceptedIn(recorded, at);
    const each = ways().map((one) => `${words[`share_${one}`]}: ${tokensOf(counts(one)(at), accepted)}.`);
    const brought = fillText(words.brought, { now: tokensOf(now, accepted), all, most: tokensOf(accepted, accepted) });
    return [said, brought, ...each].join(" ");
  }

  function drawResult() {
    const found = passesNow();
    const curves = handouts.curves(found);
    const lines = ways().map((one) => {
      const { tokens, ms, pace } = one === "hand" ? gain(recorded, found, counts(one)) : curves[one][N];
      const cells = [number(tokens, 2), found ? number(ms, 2) : "–", found ? number(pace, 0) : "–"];
      return line(words[`share_${one}`], cells, one === way ? { "data-best": "" } : null);
    });
    const heads = [fillText(words.average, { passes }), words.budget_tokens, words.budget_ms, words.pace];
    const said = found ? paying(curves) : words.budget_unmeasured;
    result.replaceChildren(
      el("div.sv-scroll", null, table(".sv-table.lab-table", heads, lines)),
      el("p.lab-note", null, said),
      ...(found ? [drawBudget(curves, N, words, Math.min(width(), 760))] : []),
    );
  }

  /** Where each way is fastest, and from which N on it is slower than no draft. @param {ReturnType<typeof handouts.curves>} curves */
  function paying(curves) {
    const none = curves.evenly[0].pace;
    return [
      fillText(words.undrafted, { texts: texts.length, pace: number(none, 0) }),
      .../** @type {const} */ (["evenly", "chances"]).map((one) => {
        const paces = curves[one].map(({ pace }) => pace);
        const best = paces.indexOf(Math.max(...paces));
        const last = paces.findLastIndex((pace) => pace >= none);
        const values = { way: words[`share_${one}`], N: best, pace: number(paces[best], 0), from: last + 1 };
        return fillText(best === 0 ? words.never : last < all ? words.stops : words.always, values);
      }),
    ].join(" ");
  }

  draw();
  return {
    root: el(
      "section.lab-stack.lab-budget",
      null,
      el("h3", null, words.budget_title),
      el("p", null, fillText(words.budget_asks, { texts: texts.length, K, all })),
      el("div.lab-controls", null, pick.root, el("div.lab-sliders", null, budget.root)),
      el("p.lab-note", null, words.budget_cells),
      el(
        "div.lab-handout",
        null,
        rows.map(({ root }) => root),
      ),
      state,
      el("div.lab-controls", null, verify, next),
      result,
      el("p.lab-note", null, fillText(words.budget_note, { ...recorded, texts: texts.length, passes })),
    ),
    draw,
    /** @returns {Settings} */
    settings: () => ({ budget: String(N), share: way, ...(own && way === "hand" ? { hand: own.join("-") } : {}) }),
  };
}

/** @param {number[]} counts */
const sum = (counts) => counts.reduce((all, n) => all + n, 0);

/**
 * Positions of each text as a link has them; null where it has none or none that can be.
 * @param {string | undefined} text @param {number} texts @param {number} K
 */
function handIn(text, texts, K) {
  const found = (text ?? "").split("-").map((one) => wholeIn(one, [0, K]));
  return found.length === texts && found.every((n) => n !== null) ? /** @type {number[]} */ (found) : null;
}

/**
 * One text: its block as cells, and the buttons that give it a position or take one.
 * @param {Text} text @param {number} K @param {Record<string, string>} words @param {(by: 1 | -1) => void} give
 */
function makeRow({ prompt }, K, words, give) {
  const name = prompt.length > NAME ? `${prompt.slice(0, NAME - 1)}…` : prompt;
  const cells = Array.from({ length: K }, () => el("span.lab-place", null, el("i"), el("b")));
  const bar = el("div.lab-block", { role: "img" }, cells);
  const count = el("output");
  const less = button("−", () => give(-1), { "aria-label": fillText(words.less, { name }) });
  const more = button("+", () => give(1), { "aria-label": fillText(words.more, { name }) });
  return {
    root: el("div.lab-text", null, el("span.lab-name", null, name), bar, el("span.lab-give", null, less, count, more)),
    /**
     * @param {number[]} q @param {number} n checked @param {number | null} accepted null before it is verified
     * @param {boolean} left whether a position is left to give
     */
    show(q, n, accepted, left) {
      const chances = pathChances(q);
      cells.forEach((cell, i) => {
        const [fill, mark] = /** @type {HTMLElement[]} */ ([...cell.children]);
        fill.style.blockSize = `${100 * SCALE.place(chances[i])}%`;
        setText(mark, accepted === null || i > accepted ? "" : i < accepted ? "✓" : "✗");
        cell.toggleAttribute("data-checked", i < n);
      });
      const said = { name, n, K, chances: chances.map((chance) => number(chance, 2)).join(", ") };
      const end = accepted === null ? "" : fillText(words.block_accepted, { accepted, n: Math.min(n, accepted) });
      bar.setAttribute("aria-label", `${fillText(words.block, said)} ${end}`.trim());
      setText(count, String(n));
      less.disabled = n === 0;
      more.disabled = n === K || !left;
    },
  };
}
