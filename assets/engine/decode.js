// Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events
// (specviz/engine/decode.py, which explains it).

import { AdaptiveK } from "./adaptive.js";
import { DraftContext, NOTHING, Stateless } from "./draft/base.js";
import { Output } from "./output.js";
import { Record } from "./record.js";
import { Stopwatch } from "./stopwatch.js";
import { PromptError } from "./text.js";
import { uniforms } from "./twister.js";
import { Verifier } from "./verify.js";

/** @import { Config, DraftSession, Event, FewerReason, Prefill, Round, Setup } from "./types.js" */

/** Decode after `prompt` (ids): one prefill, rounds, one finished. `stop` is asked between rounds.
 * @param {Setup} setup @param {number[]} prompt @param {Config} config @param {() => boolean} stop
 * @param {{ observe?: boolean }} how
 * @returns {Generator<Event, void, void>} */
export function* decode(setup, prompt, config, stop = () => false, { observe = true } = {}) {
  const { context, name, compiled } = setup.target;
  if (prompt.length >= context)
    throw new PromptError(`The prompt is ${prompt.length} tokens long; the context of ${name} is ${context}.`);
  const mark = compiled.memory.mark();
  try {
    yield* new Run(setup, prompt, config, observe).events(stop);
  } finally {
    compiled.memory.release(mark);
  }
}

/** The state of one run: the text so far, two caches, one source of chance. */
class Run {
  /** @param {Setup} setup @param {number[]} prompt @param {Config} config @param {boolean} observe */
  constructor({ target, drafter, text }, prompt, config, observe) {
    const drafts = config.K ? drafter : null;
    this.config = config;
    this.watch = new Stopwatch();
    this.output = new Output(prompt, config, text, target.context);
    this.record = new Record(config, text, this.watch, observe, drafts !== null);
    this.uniforms = config.temperature === 0 ? null : uniforms(config.seed);
    this.target = target.sequence(this.output.limit);
    const context = new DraftContext(config, target.vocabulary, this.output.limit, this.target);
    /** @type {DraftSession} */
    this.drafting = drafts ? drafts.begin(context) : new Stateless(context);
    this.adaptive = config.adaptive && drafts ? new AdaptiveK(config.K, drafts.atOnce) : null;
    this.verifier = new Verifier(target.compiled, config, target.vocabulary);
  }

  /** @param {() => boolean} stop @returns {Generator<Event, void, void>} */
  *events(stop) {
    const { output } = this;
    yield this._prefill();
    while (output.reason === null) {
      if (stop()) output.reason = "cancelled";
      else yield this._round();
    }
    yield this.record.finished(output, this.drafting);
  }

  /** All of the prompt but its last token goes into both caches. @returns {Prefill} */
  _prefill() {
    const { output, target, drafting, watch } = this;
    const before = output.ids.slice(0, -1);
    const start = watch.now();
    if (before.length) target.append(before, 1);
    const middle = watch.now();
    drafting.prefill(before);
    return this.record.prefill(output.ids, target.length, drafting.length, [start, middle, watch.now()]);
  }

  /** Leviathan et al. 2022, algorithm 1; Chen et al. 2023, algorithm 2. @returns {Round} */
  _round() {
    const { output: text, target, drafting, watch } = this;
    const before = [target.length, drafting.length];
    watch.start();
    // draft: k tokens; a round writes up to k + 1, so near the end fewer are drafted
    const { k, fewer, choice } = this._asked();
    const u = this.uniforms ? this.uniforms(2 * k + 1) : null; // for k drafts, k verdicts and the round's last token
    const block = k ? drafting.propose(text.ids, k, u?.slice(0, k) ?? null) : NOTHING;
    const draftPeak = drafting.length;
    watch.lap();
    // verify: one pass over the last token and the block
    const logits = target.append([text.ids[text.ids.length - 1], ...block.ids], block.ids.length + 1);
    const targetPeak = target.length;
    watch.lap();
    // decide, by the rule
    const result = this.verifier.verify(block, logits, u?.slice(-block.ids.length - 1) ?? null);
    watch.lap();
    // emit, and roll back both caches to the text without its last token
    const pieces = text.add([...result.ids.slice(0, result.accepted), result.last]);
    target.rollback(text.ids.length - 1);
    drafting.observe(text.ids);
    watch.lap();
    const caches = { target: { before: before[0] ?? 0, peak: targetPeak, after: target.length }, draft: null };
    const draft = before[1] === null ? null : { before: before[1], peak: draftPeak ?? 0, after: drafting.length ?? 0 };
    const why = result.ids.length < k ? block.fewer : fewer;
    const event = this.record.round(result, pieces, { ...caches, draft }, drafting.forwards, k, why, choice);
    this.adaptive?.learnFrom(event);
    return event;
  }

  /** How many tokens to draft now, why not K, and by what that was chosen. */
  _asked() {
    const choice = this.adaptive ? this.adaptive.next() : null;
    const most = choice ? choice.K : this.config.K;
    const k = Math.min(most, this.output.room - 1);
    /** @type {FewerReason} */
    const fewer = k < most ? "length" : k < this.config.K ? "adaptive" : null;
    return { k, fewer, choice };
  }
}
