// What the loop asks of a way to draft, and all ways (specviz/engine/draft): an independent model, an EAGLE-3 head, the
// target's own first layers, lookup, chance. The k steps of a block are one compiled call, or go one by one where it may
// end early or tokens are filtered.

import { concatenate, linear, norm, packLayers, ROWS, rotation, shapeOf } from "./model.js";
import { Twister } from "./twister.js";
import { argmax, draw, rowsOf, Sampler, softmax } from "./verify.js";
import { ModelError, pack, panels, toFloat32, unpack } from "./weights.js";

/** @import { Tensor } from "./compiled.js" */
/** @import { Llama, Sequence, Stack, StackWeights } from "./model.js" */
/** @import { Block, Config, DraftSession, Drafter, DrafterFactory, Entry, Head, ModelInfo, Pass,
 * ShortBlockReason } from "./types.js" */
/** @import { Weights } from "./weights.js" */

/** What heads say to a text of one token: there is no feature yet. @type {Block} */
export const NO_DRAFT = { ids: [], q: null, tensor: null, shortBlockReason: "start" };

/** What a run gives its drafter. */
export class DraftContext {
  /** @param {Config} config @param {number} vocabulary @param {number} capacity positions that the text stays below
   * @param {Sequence} target the run's sequence */
  constructor(config, vocabulary, capacity, target) {
    const { compiled } = target.model;
    this.vocabulary = vocabulary;
    this.capacity = capacity;
    this.target = target;
    this.sampler = new Sampler(compiled, config);
    this.argmax = config.drafting === "argmax";
    this.confidence = config.confidence;
    this.endsEarly = config.confidence > 0;
    this.q = compiled.memory.allocate("float32", Math.max(1, config.K), vocabulary);
    this.logits = compiled.memory.allocate("float32", 1, vocabulary);
  }

  /** What draws k tokens in one compiled call; null where a block may end early or tokens are filtered.
   * @param {number} k @param {number[] | null} u */
  draws(k, u) {
    if (this.endsEarly || !this.sampler.isUnfiltered) return null;
    const { temperature } = this.sampler;
    return { k, u, q: this.q, temperature: temperature || 1, argmax: this.argmax, vocabulary: this.vocabulary };
  }
}

/** Whether a block ends early is decided by tokens that are already in it, the improbable one too: it stays. */
class BlockBuilder {
  /** @param {DraftContext} context @param {number} k @param {number[] | null} u */
  constructor(context, k, u) {
    this.context = context;
    this.k = k;
    this.u = u;
    /** @type {number[]} */
    this.ids = [];
    /** @type {ShortBlockReason} */
    this.shortBlockReason = null;
  }

  get isOpen() {
    return this.ids.length < this.k && !this.shortBlockReason;
  }

  /** Adds a token by logits [1, V]; gives its id. @param {Tensor} logits */
  draw(logits) {
    const { context, u } = this;
    const i = this.ids.length;
    const row = logits.row(0).subarray(0, context.vocabulary);
    if (u) context.sampler.fillRows(logits, context.q.rows(i, 1));
    const id = !u || context.argmax ? argmax(row) : draw(context.q.row(i), u[i]);
    this.ids.push(id);
    if (context.endsEarly && softmax(row)[id] < context.confidence) this.shortBlockReason = "confidence";
    return id;
  }

  /** @returns {Block} */
  block() {
    const n = this.ids.length;
    const tensor = this.u && n ? this.context.q.first(n) : null;
    return {
      ids: this.ids,
      q: tensor && rowsOf(tensor),
      tensor,
      shortBlockReason: n < this.k ? this.shortBlockReason : null,
    };
  }
}

/** A session without a cache or passes of its own. */
export class Stateless {
  /** @param {DraftContext} context */
  constructor(context) {
    this.context = context;
    this.length = /** @type {number | null} */ (null);
    this.forwards = 0;
  }

  /** @param {number[]} _tokens */
  prefill(_tokens) {}

  /** @param {number[]} _tokens @param {number} _k @param {number[] | null} _u @returns {Block} */
  propose(_tokens, _k, _u) {
    return NO_DRAFT;
  }

  /** @param {number[]} _tokens */
  observe(_tokens) {}
}

/** What a screen says of a drafter that is no neural model. @param {string} name @param {string} family
 * @param {number} vocabulary @returns {ModelInfo} */
export function tableInfo(name, family, vocabulary) {
  const size = { layers: 0, width: 0, vocabulary, parameters: 0 };
  return { name, family, ...size, dtype: "none", forward: "none", why: "", context: null, weights: [] };
}

/** The target's features of one text, as its passes go by. A head's position i is made of the feature at i and of the token
 * after it, so a text of n tokens has n − 1 of them. */
class Features {
  /** @param {Sequence} target @param {number[]} layers */
  constructor(target, layers) {
    this.target = target;
    target.taps = layers;
    this.length = 1; // of the text whose features were taken, and its one token that never was fed
  }

  /** By layer, the rows [n, width] of the positions that the text gained now that it is `length` tokens long.
   * @param {number} length */
  newRows(length) {
    const rows = (length - this.length) * this.target.model.shape.width;
    this.length = length;
    return this.target.tapInputs.map((layer) => layer.subarray(0, rows));
  }
}

/** k tokens after those of `pass`: in one compiled call, or one by one, where `next` gives the logits after ids.
 * @param {DraftContext} context @param {Stack} stack @param {Pass} pass @param {number} k @param {number[] | null} u
 * @param {(ids: number[]) => Tensor} next @returns {Block} */
function draftChain(context, stack, pass, k, u, next) {
  const draws = pass.feed.length <= ROWS && context.draws(k, u);
  if (draws) {
    const vocabulary = Math.min(draws.vocabulary, stack.vocabulary);
    stack.runPass({ ...pass, keep: 1, draws: { ...draws, vocabulary } });
    const tensor = u ? draws.q.first(k) : null;
    return { ids: stack.draftIds(k), q: tensor && rowsOf(tensor), tensor, shortBlockReason: null };
  }
  const builder = new BlockBuilder(context, k, u);
  let ids = pass.feed;
  while (builder.isOpen) ids = [builder.draw(next(ids))];
  return builder.block();
}

/** k tokens of a model after `feed`, whose passes leave it after `until` layers. @param {DraftContext} context
 * @param {Sequence} sequence @param {number[]} feed @param {number} k @param {number[] | null} u
 * @param {number} [until] @returns {Block} */
function draftModel(context, sequence, feed, k, u, until) {
  const { stack, model } = sequence;
  const next = (/** @type {number[]} */ ids) => sequence.append(ids, 1, until);
  return draftChain(context, stack, { feed, head: model.head, until }, k, u, next);
}

/** k tokens of a head after `feed`, over its own cache. `features` [n, width]: one for each token of `feed`.
 * @param {DraftContext} context @param {Stack} stack @param {Entry} entry @param {Head} head @param {number[]} feed
 * @param {number} k @param {number[] | null} u @param {Float32Array} features @returns {Block} */
function draftHead(context, stack, entry, head, feed, k, u, features) {
  let hidden = features;
  return draftChain(context, stack, { feed, features, entry, head }, k, u, (ids) => {
    hidden = forward(stack, entry, ids, hidden, head).slice(-stack.width);
    return stack.logits(head, 1);
  });
}

/** A head over any number of positions [n, width] → what leaves it [n, width]; with `head` the logits of the last stay,
 * and what leaves it may be of that one alone.
 * @param {Stack} stack @param {Entry} entry @param {number[]} feed @param {Float32Array} features
 * @param {Head} [head] */
function forward(stack, entry, feed, features, head) {
  const { width } = stack;
  const out = new Float32Array(feed.length * width);
  for (let i = 0; i < feed.length; i += ROWS) {
    const part = feed.slice(i, i + ROWS);
    const keep = head && i + ROWS >= feed.length ? 1 : 0;
    stack.runPass({ feed: part, features: features.subarray(i * width, (i + part.length) * width), entry, head, keep });
    const { lastHidden } = stack;
    out.set(lastHidden, (i + part.length) * width - lastHidden.length);
  }
  return out;
}

/** The output head of a vocabulary of its own, where there is one: row r is token r + d2t[r]. Without rows in the
 * checkpoint they are the target's of these tokens. @param {Llama} target @param {Weights} weights
 * @returns {Partial<Head>} */
function ownHead({ compiled, vocabulary, head, shape: { width } }, weights) {
  const stored = ["lm_head.weight", "d2t"].map((key) => weights.tensors.get(key)?.shape[0]);
  const rows = stored[0] ?? stored[1];
  if (rows === undefined) return {};
  const shifts = weights.has("d2t") ? toFloat32(weights.take("d2t", rows)) : new Float32Array(rows);
  const ids = shifts.map((shift, r) => r + shift);
  if (!rows || !ids.every((id, r) => id >= 0 && id < vocabulary && (!r || id > ids[r - 1])))
    throw new ModelError(`${weights.name}: d2t does not map its ${rows} tokens, in order, into the target's ${vocabulary}.`);
  const columns = compiled.memory.allocate("int64", rows);
  columns.data.set(Array.from(ids, BigInt));
  const own = weights.has("lm_head.weight")
    ? linear(compiled, weights, "lm_head.weight", rows, width)
    : pack(unpack(head.matrix, ids), panels(compiled.memory, rows, width));
  return { matrix: own, rows, columns };
}

/** @implements {Drafter} */
export class Eagle {
  kind = "eagle";

  /** @param {Llama} target
   * @param {StackWeights & { taps: number[], fc: Tensor, entry: Entry, head: Head, info: ModelInfo }} parts */
  constructor(target, { taps, shape, rope, fc, entry, layers, head, info }) {
    this.target = target;
    this.taps = taps;
    this.shape = shape;
    this.rope = rope;
    this.fc = fc;
    this.entry = entry;
    this.layers = layers;
    this.head = head;
    this.info = info;
    this.multiply = target.compiled.prepare("multiply").set({ w: fc });
  }

  /** @param {Llama} target @param {Weights} weights @param {string} name @param {any} config of the head */
  static ofCheckpoint(target, weights, name, config) {
    const { compiled, info } = target;
    const { width } = target.shape;
    const shape = shapeOf(config, name);
    if (shape.width !== width) throw new ModelError(`${name} is the head of another model than ${info.name}.`);
    const parts = {
      taps: [2, Math.floor(info.layers / 2), info.layers - 3],
      shape,
      rope: rotation(compiled, config, shape),
      fc: linear(compiled, weights, "fc.weight", width, 3 * width),
      entry: { tokenNorm: norm(compiled, weights, "midlayer.input_layernorm.weight", width) },
      layers: packLayers(compiled, weights, ["midlayer."], shape, "hidden_norm", 2 * width),
      head: { ...target.head, norm: norm(compiled, weights, "norm.weight", width), ...ownHead(target, weights) },
    };
    for (const key of ["t2d", "d2t", "embed_tokens.weight"]) weights.tensors.delete(key);
    weights.finish();
    const own = { ...info, name, family: "EAGLE head", layers: 1, parameters: weights.parameters };
    return new Eagle(target, { ...parts, info: own });
  }

  /** @param {DraftContext} context @returns {EagleSession} */
  begin(context) {
    return new EagleSession(this, context);
  }

  /** fc·[low, middle, high] of each position. @param {Float32Array[]} parts @returns {Float32Array} */
  fuse(parts) {
    const { width } = this.shape;
    const n = parts[0].length / width;
    const { memory } = this.target.compiled;
    const mark = memory.mark();
    const x = memory.allocate("float32", n, 3 * width);
    const y = memory.allocate("float32", n, this.fc.shape[0] * 32);
    for (let i = 0; i < n; i++)
      for (const [j, part] of parts.entries()) x.row(i).set(part.subarray(i * width, (i + 1) * width), j * width);
    this.multiply.set({ x, y }).run();
    const out = new Float32Array(n * width);
    for (let i = 0; i < n; i++) out.set(y.row(i).subarray(0, width), i * width);
    memory.release(mark);
    return out;
  }
}

/** The cache holds true positions, then within a block those made of the head's own; the latter are rolled back.
 * @implements {DraftSession} */
class EagleSession {
  /** @param {Eagle} eagle @param {DraftContext} context */
  constructor(eagle, context) {
    const { target } = eagle;
    this.eagle = eagle;
    this.context = context;
    this.width = eagle.shape.width;
    this.features = new Features(context.target, eagle.taps);
    this.stack = target.stack(eagle, context.capacity);
    /** @type {Float32Array} */
    this.fusedFeatures = new Float32Array(0);
    this.forwards = 0;
  }

  get length() {
    return this.stack.length;
  }

  /** @param {number[]} tokens */
  prefill(tokens) {
    if (!tokens.length) return;
    this._appendFeatures(tokens.length + 1);
    if (tokens.length < 2) return;
    forward(this.stack, this.eagle.entry, tokens.slice(1), this.fusedFeatures);
    this.fusedFeatures = this.fusedFeatures.slice(-this.width);
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    if (tokens.length < 2) return NO_DRAFT;
    const { entry, head } = this.eagle;
    const feed = tokens.slice(this.stack.length + 1);
    const block = draftHead(this.context, this.stack, entry, head, feed, k, u, this.fusedFeatures);
    this.forwards += block.ids.length;
    return block;
  }

  /** @param {number[]} tokens */
  observe(tokens) {
    const settled = Math.min(this.stack.length, Math.max(0, this.features.length - 1));
    this.fusedFeatures = this.fusedFeatures.slice(this.fusedFeatures.length - (this.features.length - 1 - settled) * this.width);
    this.stack.rollback(settled);
    this._appendFeatures(tokens.length);
  }

  /** The fused features of the positions that a text of `length` tokens has gained. @param {number} length */
  _appendFeatures(length) {
    const rows = this.features.newRows(length);
    this.fusedFeatures = concatenate([this.fusedFeatures, this.eagle.fuse(rows)]);
  }
}

/** `which`: after so many layers. @type {DrafterFactory} */
export function earlyExit({ info }, which) {
  const total = info.layers;
  const layers = which ? Number(which) : Math.max(1, Math.floor(total / 4));
  if (!(layers > 0 && layers < total)) throw new ModelError(`Early exit is after 1 to ${total - 1} layers, not ${layers}.`);
  return {
    kind: "early-exit",
    info: { ...info, name: `first ${layers} of ${total} layers`, layers, parameters: 0 },
    begin: (context) => new EarlyExitSession(layers, context),
  };
}

class EarlyExitSession extends Stateless {
  /** @param {number} layers @param {DraftContext} context */
  constructor(layers, context) {
    super(context);
    this.layers = layers;
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const { target } = this.context;
    const before = target.length;
    const block = draftModel(this.context, target, tokens.slice(before), k, u, this.layers);
    target.rollback(before);
    this.forwards += block.ids.length;
    return block;
  }
}

const MAX_NGRAM = 4; // tokens compared; the longest match wins, and of equals the latest

/** @type {DrafterFactory} */
export const nGram = ({ vocabulary }) => ({
  kind: "lookup",
  info: tableInfo("lookup", "n-gram", vocabulary),
  begin: (context) => new NGramSession(context),
});

class NGramSession extends Stateless {
  indexed = 0;
  /** @type {Map<string, number>} where each n-gram was followed by something, the latest */
  positions = new Map();

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const { value: at } = this._matches(tokens).next();
    if (at === undefined) return { ids: [], q: null, tensor: null, shortBlockReason: "lookup" };
    return this._block(continuationAt(tokens, at, k), u);
  }

  /** Where the last tokens stood before, the longest match first, of equals the latest alone. @param {number[]} tokens
   * @returns {Generator<number, void, void>} */
  *_matches(tokens) {
    for (let end = this.indexed + 1; end < tokens.length; end++)
      for (let n = 1; n <= Math.min(MAX_NGRAM, end); n++) {
        this.positions.set(tokens.slice(end - n, end).join(), end);
      }
    this.indexed = tokens.length - 1;
    for (let n = Math.min(MAX_NGRAM, tokens.length); n > 0; n--) {
      const at = this.positions.get(tokens.slice(-n).join());
      if (at !== undefined) yield at;
    }
  }

  /** @param {number[]} ids @param {number[] | null} u @returns {Block} */
  _block(ids, u) {
    if (!u) return { ids, q: null, tensor: null, shortBlockReason: null };
    const tensor = this.context.q.first(ids.length);
    const q = rowsOf(tensor);
    for (const [i, id] of ids.entries()) q[i].fill(0)[id] = 1;
    return { ids, q, tensor, shortBlockReason: null };
  }
}

/** k tokens from position `at` on; where the text ends, what was copied is itself followed.
 * @param {number[]} tokens @param {number} at @param {number} k */
function continuationAt(tokens, at, k) {
  /** @type {number[]} */
  const ids = [];
  for (let i = at; i < at + k; i++) ids.push(i < tokens.length ? tokens[i] : ids[i - tokens.length]);
  return ids;
}

const TIE = 1e-6; // a logit that is the largest of equals, and changes no chance that a screen could show

/** @type {DrafterFactory} */
export const random = ({ vocabulary }) => ({
  kind: "random",
  info: tableInfo("random", "random", vocabulary),
  begin: (context) => new RandomSession(context),
});

class RandomSession extends Stateless {
  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const { context } = this;
    const builder = new BlockBuilder(context, k, u);
    // where no uniform is used, a token that depends on where the text stands, and on nothing else
    const twister = !u || context.argmax ? new Twister(tokens.length) : null;
    while (builder.isOpen) {
      const row = context.logits.row(0).fill(0);
      if (twister) row[twister.below(context.vocabulary)] = TIE;
      builder.draw(context.logits);
    }
    return builder.block();
  }
}

/** @implements {Drafter} */
export class SmallModel {
  /** @param {Llama} model @param {string} kind */
  constructor(model, kind = "model") {
    this.model = model;
    this.kind = kind;
    this.info = model.info;
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new SmallModelSession(this.model, context);
  }
}

/** Its cache lags behind the text by one token, or by two after all of a block was accepted: `propose` feeds what is
 * missing.
 * @implements {DraftSession} */
class SmallModelSession {
  /** @param {Llama} model @param {DraftContext} context */
  constructor(model, context) {
    this.context = context;
    this.vocabulary = model.vocabulary;
    this.room = Math.min(context.capacity, model.context);
    this.sequence = model.sequence(this.room, 1);
    this.forwards = 0;
  }

  get length() {
    return this.sequence.length;
  }

  /** @param {number[]} tokens */
  prefill(tokens) {
    if (tokens.length && tokens.length <= this.room) this.sequence.append(this._inVocabulary(tokens), 1);
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    // past its own context a draft model has nothing to say
    const maxK = Math.min(k, this.room - tokens.length + 1);
    if (maxK < 1) return { ids: [], q: null, tensor: null, shortBlockReason: "context" };
    const feed = this._inVocabulary(tokens.slice(this.sequence.length));
    const block = draftModel(this.context, this.sequence, feed, maxK, u?.slice(0, maxK) ?? null);
    this.forwards += block.ids.length;
    return block.shortBlockReason || maxK === k ? block : { ...block, shortBlockReason: "context" };
  }

  /** An id that only the target has is fed as another: the draft guesses worse, and q is still q.
   * @param {number[]} ids */
  _inVocabulary(ids) {
    return ids.map((id) => (id < this.vocabulary ? id : 0));
  }

  /** @param {number[]} tokens */
  observe(tokens) {
    this.sequence.rollback(Math.min(this.sequence.length, tokens.length - 1));
  }
}
