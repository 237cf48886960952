// What the run came to, in one large number, how sure its times are, and a few plain lines that stand behind it; and
// what is to be known before any of it is believed.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { number, percent, times } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { WORDS, wordOf } from "../shared/words.js";

/** @import { Comparison, Config, Header, Lane, Numbers, Picture } from "../shared/types.js" */

const BYTE_SHARE = 1 / 3; // of the prompt's tokens

/** The speedup; without times a count. @param {Picture} picture */
export function headline({ comparison, lanes, header }) {
  const { vanilla, speculative } = lanes;
  const hasSpeedup = comparison && vanilla && speculative && comparison.speedup !== null;
  const result = hasSpeedup
    ? speedupVerdict(comparison, speculative.numbers)
    : el("p.sv-verdict.sv-flow", null, WORDS.no_speedup);
  return el("div.sv-headline", null, result, notExact(header.config));
}

/** What stands behind it, over the numbers. @param {Picture} picture */
export function factsOf({ comparison, lanes, header }) {
  const { vanilla, speculative } = lanes;
  if (!comparison || !vanilla || !speculative || comparison.speedup === null) return null;
  const rates = {
    vanilla: number(vanilla.numbers.tokens_per_second, 1),
    speculative: number(speculative.numbers.tokens_per_second, 1),
    end_to_end: times(comparison.speedup_end_to_end),
  };
  const { numbers } = speculative;
  const undrafted = header.config.K && numbers.undrafted;
  const busy = comparison.disturbed.length > 0;
  return el("div.sv-facts", null, [
    busy
      ? disturbance(comparison)
      : el("div.sv-decoding", null, el("p", null, phrase("decoding_only", rates)), timingDetails(comparison)),
    el("p", null, passesLine(vanilla.numbers, numbers)),
    el("p.sv-texts", null, textsLine(comparison, header.config)),
    header.config.grammar ? el("p.sv-grammar", null, grammarLine(speculative)) : null,
    undrafted ? el("p.sv-undrafted", null, undraftedLine(numbers)) : null,
    numbers.draft_full ? el("p.sv-draft-full", null, draftFullLine(numbers, header)) : null,
    fullLine([speculative, vanilla], header),
    comparison.whole ? null : el("p", null, WORDS.partial),
  ]);
}

/**
 * The speedup and how far it may be off; of times that are not to be trusted none is said large, but a count.
 * @param {Comparison} comparison @param {Numbers} numbers
 */
function speedupVerdict({ kind, clock, speedup, low, high }, { tokens_per_forward }) {
  const busy = kind === "disturbed";
  const value = busy ? number(tokens_per_forward, 2) : times(speedup);
  const between = phrase("between", { low: number(low, 2), high: number(high, 2) });
  const label = el(
    "span",
    null,
    wordOf(`kind_${kind}`),
    " ",
    busy ? null : el("span.sv-unbroken", null, "(", between, ")"),
    clock === "processor" ? `, ${WORDS.by_processor}` : null,
  );
  return el("p.sv-verdict.sv-flow", { "data-kind": kind }, el("strong", null, value), " ", label);
}

/** A lane that ran out of context before it had the length asked for. @param {Lane[]} lanes @param {Header} header */
function fullLine(lanes, { config }) {
  const full = lanes.find(({ stopped }) => stopped?.reason === "context");
  const lengths = { tokens: full?.numbers.tokens, asked: config.max_new_tokens };
  return full ? el("p.sv-full", null, phrase("context_full", lengths)) : null;
}

/** @param {Numbers} vanilla @param {Numbers} speculative */
function passesLine(vanilla, speculative) {
  const own = speculative.target_forwards;
  if (vanilla.tokens !== speculative.tokens)
    return phrase("passes_partial", { speculative: own, tokens: speculative.tokens });
  return phrase("passes", { vanilla: vanilla.target_forwards, speculative: own });
}

/** What the grammar made void, and what it forced. @param {Lane} lane */
function grammarLine({ rounds, numbers: { drafted, tokens } }) {
  const count = (/** @type {boolean[]} */ some) => some.filter(Boolean).length;
  const forbidden = count(rounds.flatMap((round) => round.drafted.map((one) => one.void === true)));
  const forced = count(rounds.flatMap((round) => round.emitted.map((one) => one.forced === true)));
  return phrase("masked", { void: forbidden, drafted, forced, tokens });
}

/** @param {Numbers} numbers */
function undraftedLine({ drafted, undrafted, rounds }) {
  return drafted ? phrase("undrafted", { part: undrafted, whole: rounds }) : phrase("undrafted_all");
}

/** @param {Numbers} numbers @param {Header} header */
function draftFullLine({ draft_full, rounds }, { draft }) {
  return phrase("draft_full", { part: draft_full, whole: rounds, context: draft?.context });
}

/** Whether both lanes wrote the same, and where not, why. @param {Comparison} comparison @param {Config} config */
export function textsLine({ same, parts, parted, common, logits, greedy }, config) {
  if (same) return phrase("same", { count: common });
  if (!parts || !parted) return phrase("prefix", { count: common });
  const [x, y] = parted.map(chip);
  const where = { at: common + 1, x, y };
  const sampled = config.exact ? "sampled_differs" : "sampled_inexact";
  if (!logits) return phrase(greedy ? "greedy_differs" : sampled, where);
  const logitTexts = Object.fromEntries(Object.entries(logits).map(([key, value]) => [key, number(value, 4)]));
  return phrase("greedy_logits", { ...where, ...logitTexts });
}

/** What the speedup and its interval are, behind a question. @param {Comparison} comparison */
function timingDetails({ runs, often, low, high }) {
  const values = { runs, low: number(low, 2), high: number(high, 2) };
  const intervalNodes = phrase(runs === 1 ? "timed_once" : often ? "timed_often" : "timed_few", values);
  return el(
    "details.sv-timed",
    null,
    el("summary", null, WORDS.timed),
    el("p", null, WORDS.timed_is, " ", intervalNodes, " ", WORDS.luck),
  );
}

/**
 * That times are withheld, or by which clock they are, and why, and a way to time the run again where there is one.
 * @param {Comparison} comparison
 */
function disturbance({ disturbed, clock }) {
  const signs = disturbed.flatMap((sign) => [" ", sentence(sign)]);
  const run = /** @type {HTMLElement | null} */ (document.querySelector("#run"));
  const again = run && button(WORDS.run_again, () => run.click(), { class: "sv-run-again" });
  return el(
    "div.sv-busy",
    { role: "note" },
    el("p", null, el("strong", null, WORDS[clock === "processor" ? "by_processor_is" : "disturbed"]), " ", again),
    el("p", null, signs),
  );
}

/** @param {Comparison["disturbed"][number]} sign */
function sentence({ kind, lane, value }) {
  const values = { lane: lane && WORDS[`lane_${lane}`], percent: percent(value), value: number(value, 2) };
  return plain(`sign_${kind}`, { ...values, times: times(value) });
}

/** That the rule of a run is not exact, wherever its result is told. @param {Config} config */
export function notExact({ exact, verifier }) {
  return exact
    ? null
    : el("p.sv-not-exact.sv-bad.sv-strong", null, phrase("not_exact", { rule: wordOf(`rule_${verifier}`) }));
}

/**
 * Tokens of a prompt that the model has no words for, and reads byte by byte: what it writes then says little.
 * @param {Pick<Picture, "lanes">} picture
 */
export function bytesOf({ lanes }) {
  const prompt = ((lanes.speculative ?? lanes.vanilla)?.prompt ?? []).filter(({ kind }) => kind !== "special");
  const bytes = prompt.filter(({ kind }) => kind === "bytes").length;
  return bytes > BYTE_SHARE * prompt.length ? { bytes, of: prompt.length } : null;
}

/** @param {Picture} picture */
export function unreadNote(picture) {
  const counts = bytesOf(picture);
  return counts && el("p.sv-unread.sv-bad", null, phrase("unread", { ...counts, target: picture.header.target.name }));
}
