// Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events
// (specviz/engine/decode.py, which explains it), the text of a run while it grows and what ends it, and the clock of its
// phases, in milliseconds of the page's own (specviz/engine/machine.py).

import { DraftContext, NO_DRAFT, Stateless } from "./draft.js";
import { EventBuilder } from "./events.js";
import { PromptError } from "./text.js";
import { uniforms } from "./twister.js";
import { Verifier } from "./verify.js";

/** @import { Text } from "./text.js" */
/** @import { Config, DraftSession, Event, Prefill, Reason, Round, Setup } from "./types.js" */

export class Output {
  /** @param {number[]} prompt @param {Config} config @param {Text} text
   * @param {number} context positions of the target */
  constructor(prompt, config, text, context) {
    this.config = config;
    this.text = text;
    this.context = context;
    this.ids = [...prompt];
    this.promptLength = prompt.length;
    this.limit = Math.min(prompt.length + config.max_new_tokens, context);
    this.stream = text.stream(prompt);
    this.tail = "";
    this.longestStop = Math.max(0, ...config.stop.map((s) => s.length));
    /** @type {Reason | null} */
    this.reason = null;
    this.detail = "";
  }

  /** Tokens that may still be written. */
  get remaining() {
    return this.limit - this.ids.length;
  }

  /** Takes in the ids that join the text, up to the one that ends the run.
   * @param {number[]} ids @returns {string[]} their pieces */
  add(ids) {
    const pieces = [];
    for (const id of ids) {
      const piece = this.stream.push(id);
      pieces.push(piece);
      const stop = this._stopString(piece);
      if (this.text.eos.has(id) && !this.config.ignore_eos) {
        this.reason = "eos";
        this.detail = this.text.token(id).text;
      } else if (stop !== undefined) {
        this.reason = "stop";
        this.detail = stop;
      }
      if (this.reason) break;
    }
    this.ids.push(...ids.slice(0, pieces.length));
    if (!this.reason && this.remaining <= 0) {
      const maxNewTokens = this.limit - this.promptLength;
      const full = maxNewTokens < this.config.max_new_tokens;
      this.reason = full ? "context" : "length";
      this.detail = full ? `context of ${this.context}` : `max_new_tokens of ${maxNewTokens}`;
    }
    return pieces;
  }

  /** @param {string} piece */
  _stopString(piece) {
    if (!this.longestStop || !piece) return undefined;
    this.tail = (this.tail + piece).slice(-(this.longestStop + piece.length));
    return this.config.stop.find((s) => this.tail.includes(s));
  }
}

export class Stopwatch {
  /** @type {number[]} the round's start, after drafting, after the pass, after the decision, its end */
  marks = [];

  now() {
    return performance.now();
  }

  start() {
    this.marks = [this.now()];
  }

  lap() {
    this.marks.push(this.now());
  }

  /** ms of draft, verify, decide and the rest of the round that just ended. */
  phases() {
    const [start, drafted, verified, decided, ended] = this.marks;
    return { draft: drafted - start, verify: verified - drafted, decide: decided - verified, rest: ended - decided };
  }
}

/** The smallest step that the clock makes here, in ms, of 20 or of those in some 50 ms: a page that shares its process
 * with others gets a coarse one. */
export function resolution(clock = () => performance.now()) {
  let least = Infinity;
  const began = clock();
  for (let i = 0; i < 20 && (i < 2 || clock() - began < 50); i++) {
    const start = clock();
    let now = start;
    while (now === start) now = clock();
    least = Math.min(least, now - start);
  }
  return least;
}

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
    this.stopwatch = new Stopwatch();
    this.output = new Output(prompt, config, text, target.context);
    this.eventBuilder = new EventBuilder(config, text, this.stopwatch, observe, drafts !== null);
    this.uniforms = config.temperature === 0 ? null : uniforms(config.seed);
    this.target = target.sequence(this.output.limit, config.K + 1);
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
    const { output, target, session, stopwatch } = this;
    const before = output.ids.slice(0, -1);
    const start = stopwatch.now();
    if (before.length) target.append(before, 1);
    const middle = stopwatch.now();
    session.prefill(before);
    return this.eventBuilder.prefill(output.ids, target.length, session.length, [start, middle, stopwatch.now()]);
  }

  /** Leviathan et al. 2022, algorithm 1; Chen et al. 2023, algorithm 2. @returns {Round} */
  _round() {
    const { output: text, target, session, stopwatch } = this;
    const before = [target.length, session.length];
    stopwatch.start();
    // draft: k tokens; a round writes up to k + 1, so near the end fewer are drafted
    const k = Math.max(0, Math.min(this.config.K, text.remaining - 1));
    const u = this.uniforms ? this.uniforms(2 * k + 1) : null; // for k drafts, k verdicts and the round's last token
    const block = k ? session.propose(text.ids, k, u?.slice(0, k) ?? null) : NO_DRAFT;
    const draftPeak = session.length;
    stopwatch.lap();
    // verify: one pass over the last token and the block
    const input = [text.ids[text.ids.length - 1], ...block.ids];
    const logits = target.append(input, input.length);
    const targetPeak = target.length;
    stopwatch.lap();
    // decide, by the rule
    const result = this.verifier.verify(block, logits, u?.slice(-block.ids.length - 1) ?? null);
    stopwatch.lap();
    // emit, and roll back both caches to the text without its last token
    const pieces = text.add([...result.ids.slice(0, result.accepted), result.last]);
    target.rollback(text.ids.length - 1);
    session.observe(text.ids);
    stopwatch.lap();
    const caches = { target: { before: before[0] ?? 0, peak: targetPeak, after: target.length }, draft: null };
    const draft = before[1] === null ? null : { before: before[1], peak: draftPeak ?? 0, after: session.length ?? 0 };
    const reason = result.ids.length < k ? block.shortBlockReason : k < this.config.K ? "length" : null;
    return this.eventBuilder.round(result, pieces, { ...caches, draft }, session.forwards, k, reason);
  }
}
