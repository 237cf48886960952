// Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events
// (specviz/engine/decode.py, which explains it).

import { AdaptiveK } from "./adaptive.js";
import { DraftContext, NO_DRAFT, Stateless } from "./draft/base.js";
import { Output } from "./output.js";
import { EventBuilder } from "./record.js";
import { Stopwatch } from "./stopwatch.js";
import { PromptError } from "./text.js";
import { treePlanOf } from "./tree.js";
import { uniforms } from "./twister.js";
import { Verifier } from "./verify.js";

/** @import { Block, Config, DraftSession, Event, ShortBlockReason, Prefill, Round, Setup } from "./types.js" */

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
    this.treePlan = drafts ? treePlanOf(config) : null;
    this.onePass = drafts?.onePass ?? false;
    this.capacity = Math.min(target.context, this.output.limit + (this.treePlan?.positions(config.K) ?? 0));
    this.target = target.sequence(this.capacity);
    const context = new DraftContext(config, target.vocabulary, this.capacity, this.target);
    /** @type {DraftSession} */
    this.session = drafts ? drafts.begin(context) : new Stateless(context);
    this.adaptive = config.adaptive && drafts ? new AdaptiveK(config.K, drafts.onePass) : null;
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
    const { depth, k, shortBlockReason, choice } = this._blockSize();
    const u = this.uniforms ? this.uniforms(2 * k + 1) : null; // for k drafts, k verdicts and the round's last token
    const block = k ? this._draft(depth, k, u?.slice(0, k) ?? null) : NO_DRAFT;
    const draftPeak = session.length;
    watch.lap();
    // verify: one pass over the last token and the block
    const parents = block.parents ? [-1, ...block.parents.map((parent) => parent + 1)] : undefined;
    const input = [text.ids[text.ids.length - 1], ...block.ids];
    const logits = target.append(input, input.length, undefined, parents);
    const targetPeak = target.length;
    watch.lap();
    // decide, by the rule
    const result = this.verifier.verify(block, logits, u?.slice(-block.ids.length - 1) ?? null);
    watch.lap();
    // emit, and roll back both caches to the text without its last token
    const path = result.path ?? result.ids.slice(0, result.accepted).map((_, i) => i);
    const pieces = text.add([...path.map((node) => result.ids[node]), result.last]);
    if (block.parents) target.keep([0, ...path.map((node) => node + 1)]);
    target.rollback(text.ids.length - 1);
    session.observe(text.ids);
    watch.lap();
    const caches = { target: { before: before[0] ?? 0, peak: targetPeak, after: target.length }, draft: null };
    const draft = before[1] === null ? null : { before: before[1], peak: draftPeak ?? 0, after: session.length ?? 0 };
    const reason = result.ids.length < k ? block.shortBlockReason : shortBlockReason;
    const event = this.eventBuilder.round(result, pieces, { ...caches, draft }, session.forwards, k, reason, choice);
    this.adaptive?.learnFrom(event);
    return event;
  }

  /** How many tokens to draft one after the other, and in all; why not K, and by what that was chosen. */
  _blockSize() {
    const { treePlan, config, output } = this;
    const choice = this.adaptive ? this.adaptive.next() : null;
    const most = choice ? choice.K : config.K;
    let depth = Math.max(0, Math.min(most, output.remaining - 1));
    const positions = this.capacity - this.target.length - 1;
    while (treePlan && depth > 0 && treePlan.positions(depth) > positions) depth--;
    const nodesTo = (/** @type {number} */ levels) => treePlan?.nodesTo(levels) ?? levels;
    const k = nodesTo(depth);
    /** @type {ShortBlockReason} */
    const shortBlockReason = k < nodesTo(most) ? "length" : k < nodesTo(config.K) ? "adaptive" : null;
    return { depth, k, shortBlockReason, choice };
  }

  /** A chain of k tokens, or a tree of k that is `depth` deep. @param {number} depth @param {number} k
   * @param {number[] | null} u @returns {Block} */
  _draft(depth, k, u) {
    const { session, output } = this;
    if (!this.treePlan) return session.propose(output.ids, k, u);
    if (!session.branch || this.onePass)
      throw new PromptError("This drafter drafts chains: choose another one for a tree.");
    const block = session.branch(output.ids, depth, u);
    return block.shortBlockReason || block.ids.length === k ? block : { ...block, shortBlockReason: "filter" };
  }
}
