// The budget as a game: eight recorded texts, N positions to check in the next pass, handed out evenly, by the draft's
// chances or by hand; then what the target accepted.

import { choices } from "../../shared/choices.js";
import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { sum } from "../../trace/events.js";
import { makeSlider, wholeIn } from "../form.js";
import { acceptedInRound, gain, makeHandouts, tokensOfPass } from "./budget.js";
import { drawBudget } from "./charts.js";
import { makeRow } from "./row.js";
import { payingSentences } from "./sentences.js";

/** @import { Passes } from "../../shared/hardware.js" */
/** @import { PanelContext, Settings } from "../types.js" */
/** @import { Recorded } from "./budget.js" */

/** @typedef {"evenly" | "chances" | "hand"} Way */

const WAYS = /** @type {Way[]} */ (["evenly", "chances", "hand"]);
const FIRST_BUDGET = 16; // positions of a budget at first

/**
 * The game once its recorded rounds are here; the panel is whole without it.
 * @param {PanelContext} context @param {(texts: number) => Passes | null} passesOver so many texts, null where none
 * were measured @param {() => void} onChange
 */
export function makeBudgetSection({ server, words, linkSettings, width }, passesOver, onChange) {
  const root = el("div");
  /** @type {ReturnType<typeof makeGame> | null} */
  let game = null;
  server.recorded_load("").then(
    (text) => {
      /** @type {Recorded} */
      const recorded = JSON.parse(text);
      game = makeGame(recorded, words, linkSettings, () => passesOver(recorded.texts.length), width, onChange);
      root.append(game.root);
    },
    (error) => console.warn(error),
  );
  return { root, draw: () => game?.draw(), settings: () => game?.settings() };
}

/**
 * @param {Recorded} recorded @param {Record<string, string>} words @param {Settings} linkSettings
 * @param {() => Passes | null} currentPasses over so many texts, null where none were measured
 * @param {() => number} width @param {() => void} onChange
 */
export function makeGame(recorded, words, linkSettings, currentPasses, width, onChange) {
  const { K, texts } = recorded;
  const [all, rounds] = [K * texts.length, texts[0].accepted.length];
  const handouts = makeHandouts(recorded);
  let N = wholeIn(linkSettings.budget, [0, all]) ?? FIRST_BUDGET;
  let hand = sharesOfLink(linkSettings.hand, texts.length, K); // null until something is handed out by hand
  let way = WAYS.find((each) => each === linkSettings.share && (each !== "hand" || hand)) ?? "evenly";
  let round = 0;
  let [verified, hasResult] = [false, false]; // this pass; any

  const shares = { ...handouts, hand: () => () => hand ?? [] };
  const counts = (/** @type {Way} */ which) => shares[which](N);
  const availableWays = () => WAYS.filter((each) => each !== "hand" || (hand && sum(hand) <= N));

  const budget = makeSlider(words.budget, [0, all, 1], N, String, (value) => update(() => (N = value)));
  const wayField = choices(
    words.share,
    "lab-share",
    WAYS.map((each) => /** @type {[Way, string]} */ ([each, words[`share_${each}`]])),
    way,
    (each) =>
      update(() => {
        if (each === "hand") hand ??= counts(way)(round);
        way = each;
      }),
  );
  const rows = texts.map((text, i) =>
    makeRow(text, K, words, (by) =>
      update(() => {
        hand = counts(way)(round).map((n, k) => (k === i ? n + by : n));
        way = "hand";
      }),
    ),
  );
  const state = el("p", { role: "status" });
  const verify = button(words.verify, () => update(() => (verified = hasResult = true)), { class: "sv-first lab-run" });
  const next = button(words.next, () =>
    update(() => {
      round = (round + 1) % rounds;
      verified = false;
    }),
  );
  const result = el("div.lab-stack");

  /** @param {() => unknown} act */
  function update(act) {
    act();
    draw();
    onChange();
  }

  function draw() {
    const now = counts(way)(round);
    const left = N - sum(now);
    wayField.show(way);
    for (const [i, row] of rows.entries())
      row.show(texts[i].q[round], now[i], verified ? texts[i].accepted[round] : null, left > 0);
    verify.disabled = verified || left < 0;
    setText(state, left < 0 ? fillText(words.over, { n: sum(now), N }) : stateSentence(now));
    result.hidden = !hasResult || left < 0;
    if (!result.hidden) drawResult();
  }

  /** @param {number[]} now */
  function stateSentence(now) {
    const spent = fillText(words.spent, { n: sum(now), N, pass: round + 1, passes: rounds });
    if (!verified) return spent;
    const accepted = acceptedInRound(recorded, round);
    const tokens = (/** @type {number[]} */ checked) => tokensOfPass(checked, accepted);
    const outcome = fillText(words.brought, { now: tokens(now), all, most: tokens(accepted) });
    const each = availableWays().map((name) => `${words[`share_${name}`]}: ${tokens(counts(name)(round))}.`);
    return [spent, outcome, ...each].join(" ");
  }

  function drawResult() {
    const passes = currentPasses();
    const curves = handouts.curves(passes);
    const lines = availableWays().map((each) => {
      const { tokens, ms, pace } = each === "hand" ? gain(recorded, passes, counts(each)) : curves[each][N];
      const cells = [number(tokens, 2), number(passes && ms, 2), number(passes && pace, 0)];
      return line(words[`share_${each}`], cells, each === way ? { "data-best": "" } : null);
    });
    const heads = [fillText(words.average, { passes: rounds }), words.budget_tokens, words.budget_ms, words.pace];
    const payingText = passes ? payingSentences(curves, texts.length, words) : words.budget_unmeasured;
    result.replaceChildren(
      el("div.sv-scroll", null, table(".sv-table.lab-table", heads, lines)),
      el("p.lab-note", null, payingText),
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
      el("div.lab-controls", null, wayField.root, el("div.lab-sliders", null, budget.root)),
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
    settings: () => ({ budget: String(N), share: way, ...(hand && way === "hand" ? { hand: hand.join("-") } : {}) }),
  };
}

/**
 * Positions of each text as a link has them; null where it has none or none that can be.
 * @param {string | undefined} text @param {number} texts @param {number} K
 */
function sharesOfLink(text, texts, K) {
  const passes = (text ?? "").split("-").map((each) => wholeIn(each, [0, K]));
  return passes.length === texts && passes.every((n) => n !== null) ? /** @type {number[]} */ (passes) : null;
}
