// What the run came to, in one large number, how sure its times are, and a few plain lines that stand behind it.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { number, percent, times } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { WORDS, wordOf } from "../shared/words.js";
import { notExact } from "./exact.js";

/** @import { Comparison, Config, Header, Lane, Numbers, Picture } from "../shared/types.js" */

/** The speedup; without times a count. @param {Picture} picture */
export function headline({ comparison, lanes, header }) {
  const { vanilla, speculative } = lanes;
  const whole = comparison && vanilla && speculative && comparison.speedup !== null;
  const said = whole ? verdict(comparison, speculative.numbers) : el("p.sv-verdict.sv-flow", null, WORDS.no_speedup);
  return el("div.sv-headline", null, said, notExact(header.config));
}

/** What stands behind it, over the numbers. @param {Picture} picture */
export function factsOf({ comparison, lanes, header }) {
  const { vanilla, speculative } = lanes;
  if (!comparison || !vanilla || !speculative || comparison.speedup === null) return null;
  return el("div.sv-facts", null, facts(comparison, vanilla, speculative, header));
}

/**
 * The speedup and how far it may be off; of times that are not to be trusted none is said large, but a count.
 * @param {Comparison} comparison @param {Numbers} numbers
 */
function verdict({ kind, speedup, low, high }, { tokens_per_forward }) {
  const busy = kind === "disturbed";
  const value = busy ? number(tokens_per_forward, 2) : times(speedup);
  const between = say("between", { low: number(low, 2), high: number(high, 2) });
  const called = el(
    "span",
    null,
    wordOf(`kind_${kind}`),
    " ",
    busy ? null : el("span.sv-between", null, "(", between, ")"),
  );
  return el("p.sv-verdict.sv-flow", { "data-kind": kind }, el("strong", null, value), " ", called);
}

/** @param {Comparison} comparison @param {Lane} vanilla @param {Lane} speculative @param {Header} header */
function facts(comparison, vanilla, speculative, header) {
  const rates = {
    vanilla: number(vanilla.numbers.tokens_per_second, 1),
    speculative: number(speculative.numbers.tokens_per_second, 1),
    end_to_end: times(comparison.speedup_end_to_end),
  };
  const { numbers } = speculative;
  const undrafted = header.config.K && numbers.undrafted;
  const busy = comparison.kind === "disturbed";
  return [
    busy
      ? disturbance(comparison)
      : el("div.sv-decoding", null, el("p", null, say("decoding_only", rates)), timed(comparison)),
    el("p", null, passesLine(vanilla.numbers, numbers)),
    el("p.sv-texts", null, textsLine(comparison, header.config)),
    header.config.grammar ? el("p.sv-grammar", null, grammarLine(speculative)) : null,
    undrafted ? el("p.sv-undrafted", null, undraftedLine(numbers)) : null,
    numbers.draft_full ? el("p.sv-draft-full", null, draftFullLine(numbers, header)) : null,
    fullLine([speculative, vanilla], header),
    comparison.whole ? null : el("p", null, WORDS.partial),
  ];
}

/** A lane that ran out of context before it had the length asked for. @param {Lane[]} lanes @param {Header} header */
function fullLine(lanes, { config }) {
  const full = lanes.find(({ stopped }) => stopped?.reason === "context");
  const asked = config.max_new_tokens;
  return full ? el("p.sv-full", null, say("context_full", { tokens: full.numbers.tokens, asked })) : null;
}

/** @param {Numbers} vanilla @param {Numbers} speculative */
function passesLine(vanilla, speculative) {
  const own = speculative.target_forwards;
  if (vanilla.tokens !== speculative.tokens)
    return say("passes_partial", { speculative: own, tokens: speculative.tokens });
  return say("passes", { vanilla: vanilla.target_forwards, speculative: own });
}

/** What the grammar made void, and what it forced. @param {Lane} lane */
function grammarLine({ rounds, numbers: { drafted, tokens } }) {
  const count = (/** @type {boolean[]} */ some) => some.filter(Boolean).length;
  const forbidden = count(rounds.flatMap((round) => round.drafted.map((one) => one.void === true)));
  const forced = count(rounds.flatMap((round) => round.emitted.map((one) => one.forced === true)));
  return say("masked", { void: forbidden, drafted, forced, tokens });
}

/** @param {Numbers} numbers */
function undraftedLine({ drafted, undrafted, rounds }) {
  return drafted ? say("undrafted", { part: undrafted, whole: rounds }) : say("undrafted_all");
}

/** @param {Numbers} numbers @param {Header} header */
function draftFullLine({ draft_full, rounds }, { draft }) {
  return say("draft_full", { part: draft_full, whole: rounds, context: draft?.context });
}

/** Whether both lanes wrote the same, and where not, why. @param {Comparison} comparison @param {Config} config */
export function textsLine({ same, parts, parted, common, logits, greedy }, config) {
  if (same) return say("same", { count: common });
  if (!parts || !parted) return say("prefix", { count: common });
  const [x, y] = parted.map(chip);
  const where = { at: common + 1, x, y };
  const sampled = config.exact ? "sampled_differs" : "sampled_inexact";
  if (!logits) return say(greedy ? "greedy_differs" : sampled, where);
  const written = Object.fromEntries(Object.entries(logits).map(([key, value]) => [key, number(value, 4)]));
  return say("greedy_logits", { ...where, ...written });
}

/** What the speedup and its interval are, behind a question. @param {Comparison} comparison */
function timed({ runs, often, low, high }) {
  const values = { runs, low: number(low, 2), high: number(high, 2) };
  const how = say(runs === 1 ? "timed_once" : often ? "timed_often" : "timed_few", values);
  return el(
    "details.sv-timed",
    null,
    el("summary", null, WORDS.timed),
    el("p", null, WORDS.timed_is, " ", how, " ", WORDS.luck),
  );
}

/**
 * That times are withheld and why, and a way to time the run again where there is one.
 * @param {Comparison} comparison
 */
function disturbance({ disturbed }) {
  const signs = disturbed.flatMap((sign) => [" ", sentence(sign)]);
  const run = /** @type {HTMLElement | null} */ (document.querySelector("#run"));
  const again = run && button(WORDS.run_again, () => run.click(), { class: "sv-run-again" });
  return el(
    "div.sv-busy",
    { role: "note" },
    el("p", null, el("strong", null, WORDS.disturbed), " ", again),
    el("p", null, signs),
  );
}

/** @param {Comparison["disturbed"][number]} sign */
function sentence({ kind, lane, value }) {
  const values = { lane: lane && WORDS[`lane_${lane}`], percent: percent(value), value: number(value, 2) };
  return plain(`sign_${kind}`, { ...values, times: times(value) });
}
