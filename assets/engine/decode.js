// Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events
// (specviz/engine/decode.py, which explains it).

import { DraftContext, NO_DRAFT, Stateless } from "./draft/base.js";
import { Output } from "./output.js";
import { EventBuilder } from "./record.js";
import { Stopwatch } from "./stopwatch.js";
import { PromptError } from "./text.js";
import { uniforms } from "./twister.js";
import { Verifier } from "./verify.js";

/** @import { Config, DraftSession, Event, Prefill, Round, Setup } from "./types.js" */

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
    this.eventBuilder = new EventBuilder(config, text, this.watch, observe, drafts !== null);
    this.uniforms = config.temperature === 0 ? null : uniforms(config.seed);
    this.target = target.sequence(this.output.limit);
    const context = new DraftContext(config, target.vocabulary, this.output.limit, this.target);
    /** @type {DraftSession} */
    this.session = drafts ? drafts.begin(context) : new Stateless(context);
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
    yield this.eventBuilder.finished(output, this.session);
  }

  /** All of the prompt but its last token goes into both caches. @returns {Prefill} */
  _prefill() {
    const { output, target, session, watch } = this;
    const before = output.ids.slice(0, -1);
    const start = watch.now();
    if (before.length) target.append(before, 1);
    const middle = watch.now();
    session.prefill(before);
    return this.eventBuilder.prefill(output.ids, target.length, session.length, [start, middle, watch.now()]);
  }

  /** Leviathan et al. 2022, algorithm 1; Chen et al. 2023, algorithm 2. @returns {Round} */
  _round() {
    const { output: text, target, session, watch } = this;
    const before = [target.length, session.length];
    watch.start();
    // draft: k tokens; a round writes up to k + 1, so near the end fewer are drafted
    const k = Math.max(0, Math.min(this.config.K, text.remaining - 1));
    const u = this.uniforms ? this.uniforms(2 * k + 1) : null; // for k drafts, k verdicts and the round's last token
    const block = k ? session.propose(text.ids, k, u?.slice(0, k) ?? null) : NO_DRAFT;
    const draftPeak = session.length;
    watch.lap();
    // verify: one pass over the last token and the block
    const input = [text.ids[text.ids.length - 1], ...block.ids];
    const logits = target.append(input, input.length);
    const targetPeak = target.length;
    watch.lap();
    // decide, by the rule
    const result = this.verifier.verify(block, logits, u?.slice(-block.ids.length - 1) ?? null);
    watch.lap();
    // emit, and roll back both caches to the text without its last token
    const pieces = text.add([...result.ids.slice(0, result.accepted), result.last]);
    target.rollback(text.ids.length - 1);
    session.observe(text.ids);
    watch.lap();
    const caches = { target: { before: before[0] ?? 0, peak: targetPeak, after: target.length }, draft: null };
    const draft = before[1] === null ? null : { before: before[1], peak: draftPeak ?? 0, after: session.length ?? 0 };
    const reason = result.ids.length < k ? block.shortBlockReason : k < this.config.K ? "length" : null;
    return this.eventBuilder.round(result, pieces, { ...caches, draft }, session.forwards, k, reason);
  }
}
