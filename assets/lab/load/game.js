// The budget as a game: eight recorded texts, N positions to check in the next pass, handed out evenly, by the draft's
// chances or by hand; then what the target accepted.

import { choices } from "../../shared/choices.js";
import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { wholeIn } from "../choice.js";
import { makeSlider } from "../slider.js";
import { acceptedIn, gain, makeHandouts, tokensOf } from "./budget.js";
import { drawBudget } from "./charts.js";
import { makeRow } from "./row.js";
import { payingSentences } from "./told.js";

/** @import { Passes } from "../../shared/hardware.js" */
/** @import { PanelContext, Settings } from "../types.js" */
/** @import { Recorded } from "./budget.js" */

/** @typedef {"evenly" | "chances" | "hand"} Way */

const WAYS = /** @type {Way[]} */ (["evenly", "chances", "hand"]);
const FIRST = 16; // positions of a budget at first

/**
 * The game once its recorded rounds are here; the panel is whole without it.
 * @param {PanelContext} bench @param {(texts: number) => Passes | null} passesOver so many texts, null where none were
 * measured @param {() => void} changed
 */
export function makeBudget({ server, words, asked, width }, passesOver, changed) {
  const root = el("div");
  /** @type {ReturnType<typeof makeGame> | null} */
  let game = null;
  server.recorded_load("").then(
    (text) => {
      /** @type {Recorded} */
      const recorded = JSON.parse(text);
      game = makeGame(recorded, words, asked, () => passesOver(recorded.texts.length), width, changed);
      root.append(game.root);
    },
    (error) => console.warn(error),
  );
  return { root, draw: () => game?.draw(), settings: () => game?.settings() };
}

/**
 * @param {Recorded} recorded @param {Record<string, string>} words @param {Settings} asked
 * @param {() => Passes | null} passesNow over so many texts, null where none were measured
 * @param {() => number} width @param {() => void} changed
 */
export function makeGame(recorded, words, asked, passesNow, width, changed) {
  const { K, texts } = recorded;
  const [all, rounds] = [K * texts.length, texts[0].accepted.length];
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
      at = (at + 1) % rounds;
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
    for (const [i, row] of rows.entries())
      row.show(texts[i].q[at], now[i], verified ? texts[i].accepted[at] : null, left > 0);
    verify.disabled = verified || left < 0;
    setText(state, left < 0 ? fillText(words.over, { n: sum(now), N }) : sentence(now));
    result.hidden = !seen || left < 0;
    if (!result.hidden) drawResult();
  }

  /** @param {number[]} now */
  function sentence(now) {
    const spent = fillText(words.spent, { n: sum(now), N, pass: at + 1, passes: rounds });
    if (!verified) return spent;
    const accepted = acceptedIn(recorded, at);
    const each = ways().map((one) => `${words[`share_${one}`]}: ${tokensOf(counts(one)(at), accepted)}.`);
    const brought = fillText(words.brought, { now: tokensOf(now, accepted), all, most: tokensOf(accepted, accepted) });
    return [spent, brought, ...each].join(" ");
  }

  function drawResult() {
    const passes = passesNow();
    const curves = handouts.curves(passes);
    const lines = ways().map((one) => {
      const { tokens, ms, pace } = one === "hand" ? gain(recorded, passes, counts(one)) : curves[one][N];
      const cells = [number(tokens, 2), number(passes && ms, 2), number(passes && pace, 0)];
      return line(words[`share_${one}`], cells, one === way ? { "data-best": "" } : null);
    });
    const heads = [fillText(words.average, { passes: rounds }), words.budget_tokens, words.budget_ms, words.pace];
    const paying = passes ? payingSentences(curves, texts.length, words) : words.budget_unmeasured;
    result.replaceChildren(
      el("div.sv-scroll", null, table(".sv-table.lab-table", heads, lines)),
      el("p.lab-note", null, paying),
      ...(passes ? [drawBudget(curves, N, words, Math.min(width(), 760))] : []),
    );
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
      el("div.lab-handout", null, ...rows.map(({ root }) => root)),
      state,
      el("div.lab-controls", null, verify, next),
      result,
      [words.budget_recorded, words.budget_times, words.budget_engine].map((note) =>
        el("p.lab-note", null, fillText(note, { ...recorded, texts: texts.length, passes: rounds })),
      ),
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
  const passes = (text ?? "").split("-").map((one) => wholeIn(one, [0, K]));
  return passes.length === texts && passes.every((n) => n !== null) ? /** @type {number[]} */ (passes) : null;
}
