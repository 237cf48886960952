// A drafted block is decided: greedy by the largest logits, rejection in one compiled call, any other rule by its
// readable form.

import { RULES } from "../rules/all.js";
import { walkGreedy } from "../rules/greedy.js";
import { argmax, draw, Sampler } from "./sampling.js";

/** @import { Rule, TreeInputs } from "../rules/types.js" */
/** @import { Compiled } from "./compiled.js" */
/** @import { Tensor } from "./memory.js" */
/** @import { Block, Config, VerifyResult } from "./types.js" */

const MOST = 65; // rows of a block: a tree of 64 tokens and the one after them

export class Verifier {
  /** @param {Compiled} compiled @param {Config} config @param {number} vocabulary */
  constructor(compiled, config, vocabulary) {
    const { memory } = compiled;
    /** @type {Rule} */
    this.rule = RULES[config.verifier];
    this.config = config;
    this.sampler = new Sampler(compiled, config);
    this.argmax = config.drafting === "argmax";
    this.compiles = this.rule.theta !== undefined && this.sampler.plain;
    this.p = memory.room("float32", MOST, vocabulary);
    this.after = memory.room("float32", vocabulary);
    this.ids = memory.room("int64", MOST);
    this.u = memory.room("float64", MOST);
    this.numbers = memory.room("float64", 2 * MOST);
    this.none = memory.room("float32", 0, 0);
    this.decide = compiled.prepare("decide");
  }

  /** logits [K + 1, V]: the target's after the text and after each drafted token. @param {Block} block
   * @param {Tensor} logits
   * @param {number[] | null} u @returns {VerifyResult} */
  verify(block, logits, u) {
    if (block.parents) return this._walked(block, block.parents, logits, u);
    if (!u) return greedy(block.ids, logits);
    return this.compiles ? this._compiled(block, logits, u) : this._readable(block, logits, u);
  }

  /** @param {Block} block @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _compiled({ ids, q, tensor }, logits, u) {
    const k = ids.length;
    const p = this.p.first(k + 1);
    this.ids.data.set(ids.map(BigInt));
    this.u.data.set(u);
    this.decide.set({
      logits,
      ids: this.ids.first(k),
      q: tensor && k ? tensor.first(k) : this.none,
      u: this.u.first(k + 1),
      temperature: this.sampler.temperature,
      theta: this.rule.theta?.(this.config) ?? 1,
      argmax: this.argmax,
      p,
      next_distribution: this.after,
      numbers: this.numbers.first(2 * k + 2),
    });
    this.decide.run();
    const [accepted, last, ...numbers] = this.numbers.data;
    const verdict = { ids, accepted, last, px: numbers.slice(0, k), qx: numbers.slice(k, 2 * k), u };
    return { ...NO_JOINT, ...verdict, best: null, p: rowsOf(p), q, after: this.after.data };
  }

  /** @param {Block} block @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _readable({ ids, q }, logits, u) {
    const k = ids.length;
    const p = rowsOf(this.sampler.fill(logits, this.p.first(k + 1)));
    const tested = q && this.argmax ? ids.map((id, i) => oneHot(id, q[i].length)) : q;
    const px = ids.map((id, i) => p[i][id]);
    const qx = ids.map((id, i) => (tested ? tested[i][id] : 1));
    const drawn = this.rule.draws_each ? p.map((row, i) => draw(row, u[i])) : u.slice(0, -1);
    const kept = this.rule.verify({ x: ids, px, qx, p, q: tested, u: drawn }, this.config);
    const { accepted, after, joint = null, chance = null, mass = null } = kept;
    const last = after ? draw(after, u[k]) : drawn[accepted];
    return { ids, accepted, last, px, qx, u, joint, chance, mass, best: null, p, q, after };
  }

  /** Of a tree a path stays. @param {Block} block @param {number[]} parents @param {Tensor} logits
   * @param {number[] | null} u @returns {VerifyResult} */
  _walked({ ids, q }, parents, logits, u) {
    /** @type {number[][]} */
    const children = [[], ...ids.map(() => [])];
    for (const [node, parent] of parents.entries()) children[parent + 1].push(node);
    if (!u || !q) return greedyTree(ids, parents, children, logits);
    const p = rowsOf(this.sampler.fill(logits, this.p.first(ids.length + 1)));
    const own = this.argmax && !this.rule.tests_softmax; // q is one-hot
    const softmax = (/** @type {number} */ node) => {
      const first = q[children[parents[node] + 1][0]]; // which was drawn from all of it
      return first[ids[node]] > 0 ? first : q[node];
    };
    /** @type {TreeInputs} */
    const tree = {
      x: ids,
      children,
      p,
      q: (node) => (own ? oneHot(ids[node], q[node].length) : q[node]),
      s: softmax,
      u,
      y: (node) => draw(p[node + 1], u[node + 1]),
    };
    const walk = /** @type {Required<Rule>} */ (this.rule).walk(tree, this.config);
    const last = walk.last ?? draw(/** @type {Float32Array} */ (walk.after), u[u.length - 1]);
    const px = ids.map((id, node) => p[parents[node] + 1][id]);
    const qx = ids.map((id, node) => (this.rule.tests_softmax ? softmax(node)[id] : own ? 1 : q[node][id]));
    for (const [i, node] of walk.tested.entries()) {
      px[node] = walk.p[i][ids[node]];
      qx[node] = walk.q[i][ids[node]];
    }
    const { path, tested, after, mass } = walk;
    const follows = p[(path[path.length - 1] ?? -1) + 1];
    const seen = { p: [...walk.p, follows], q: own ? tested.map((node) => q[node]) : walk.q, after };
    return {
      ...NO_JOINT,
      ids,
      accepted: path.length,
      last,
      px,
      qx,
      u,
      mass,
      best: null,
      ...seen,
      parents,
      path,
      tested,
    };
  }
}

const NO_JOINT = { joint: null, chance: null, mass: null };

/** Temperature 0: a drafted token stays iff it is the largest logit's. @param {number[]} ids @param {Tensor} logits
 * @returns {VerifyResult} */
function greedy(ids, logits) {
  const best = rowsOf(logits).map(argmax);
  const differs = ids.findIndex((id, i) => id !== best[i]);
  const accepted = differs < 0 ? ids.length : differs;
  const px = ids.map((id, i) => Number(id === best[i]));
  const rest = { u: null, p: null, q: null, after: null };
  return { ...NO_JOINT, ...rest, ids, accepted, last: best[accepted], px, qx: ids.map(() => 1), best };
}

/** @param {number[]} ids @param {number[]} parents @param {number[][]} children @param {Tensor} logits
 * @returns {VerifyResult} */
function greedyTree(ids, parents, children, logits) {
  const best = rowsOf(logits).map(argmax);
  const { path, tested } = walkGreedy(ids, best, children);
  const last = best[(path[path.length - 1] ?? -1) + 1];
  const px = ids.map((id, node) => Number(id === best[parents[node] + 1]));
  const seen = { best: [...tested.map((node) => best[parents[node] + 1]), last], p: null, q: null, after: null };
  const qx = ids.map(() => 1);
  return { ...NO_JOINT, ids, accepted: path.length, last, px, qx, u: null, ...seen, parents, path, tested };
}

/** @param {Tensor} tensor @returns {Float32Array[]} */
export function rowsOf(tensor) {
  return Array.from({ length: tensor.shape[0] }, (_, i) => tensor.row(i));
}

/** @param {number} id @param {number} vocabulary */
export function oneHot(id, vocabulary) {
  const row = new Float32Array(vocabulary);
  row[id] = 1;
  return row;
}
