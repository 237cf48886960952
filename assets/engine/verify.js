// A drafted block is decided: greedy by the largest logits, rejection in one compiled call, any other rule by its
// readable form.

import { RULES } from "../rules/all.js";
import { walkGreedy } from "../rules/greedy.js";
import { children as childrenOf } from "../trace/tree.js";
import { argmax, draw, Sampler } from "./sampling.js";

/** @import { Rule, TreeInputs } from "../rules/types.js" */
/** @import { Compiled } from "./compiled.js" */
/** @import { Tensor } from "./memory.js" */
/** @import { Block, Config, VerifyResult } from "./types.js" */

const MAX_ROWS = 65; // rows of a block: a tree of 64 tokens and the one after them

export class Verifier {
  /** @param {Compiled} compiled @param {Config} config @param {number} vocabulary */
  constructor(compiled, config, vocabulary) {
    const { memory } = compiled;
    /** @type {Rule} */
    this.rule = RULES[config.verifier];
    this.config = config;
    this.sampler = new Sampler(compiled, config);
    this.argmax = config.drafting === "argmax";
    this.isCompiled = this.rule.theta !== undefined && this.sampler.isUnfiltered;
    this.p = memory.allocate("float32", MAX_ROWS, vocabulary);
    this.next = memory.allocate("float32", vocabulary);
    this.ids = memory.allocate("int64", MAX_ROWS);
    this.u = memory.allocate("float64", MAX_ROWS);
    this.chances = memory.allocate("float64", 2 * MAX_ROWS);
    this.noQ = memory.allocate("float32", 0, 0);
    this.decide = compiled.prepare("decide");
  }

  /** logits [K + 1, V]: the target's after the text and after each drafted token. @param {Block} block
   * @param {Tensor} logits
   * @param {number[] | null} u @returns {VerifyResult} */
  verify(block, logits, u) {
    const { ids, q, parents } = block;
    if (!u) return verifyGreedy(block, logits);
    if (parents && q) return this._verifyTree(ids, q, parents, logits, u);
    return this.isCompiled ? this._verifyCompiled(block, logits, u) : this._verifyReadable(block, logits, u);
  }

  /** @param {Block} block @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _verifyCompiled({ ids, q, tensor }, logits, u) {
    const k = ids.length;
    const p = this.p.first(k + 1);
    this.ids.data.set(ids.map(BigInt));
    this.u.data.set(u);
    this.decide.set({
      logits,
      ids: this.ids.first(k),
      q: tensor && k ? tensor.first(k) : this.noQ,
      u: this.u.first(k + 1),
      temperature: this.sampler.temperature,
      theta: this.rule.theta?.(this.config) ?? 1,
      argmax: this.argmax,
      p,
      next_distribution: this.next,
      numbers: this.chances.first(2 * k + 2),
    });
    this.decide.run();
    const [accepted, last, ...chances] = this.chances.data;
    const verdict = { ids, accepted, last, px: chances.slice(0, k), qx: chances.slice(k, 2 * k), u };
    return { ...NO_JOINT, ...verdict, best: null, p: rowsOf(p), q, after: this.next.data };
  }

  /** @param {Block} block @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _verifyReadable({ ids, q }, logits, u) {
    const k = ids.length;
    const p = rowsOf(this.sampler.fillRows(logits, this.p.first(k + 1)));
    const testedQ = q && this.argmax ? ids.map((id, i) => oneHot(id, q[i].length)) : q;
    const px = ids.map((id, i) => p[i][id]);
    const qx = ids.map((id, i) => (testedQ ? testedQ[i][id] : 1));
    const uOrSamples = this.rule.draws_each ? p.map((row, i) => draw(row, u[i])) : u.slice(0, -1);
    const decision = this.rule.verify({ x: ids, px, qx, p, q: testedQ, u: uOrSamples }, this.config);
    const { accepted, after, joint = null, chance = null, mass = null } = decision;
    const last = after ? draw(after, u[k]) : uOrSamples[accepted];
    return { ids, accepted, last, px, qx, u, joint, chance, mass, best: null, p, q, after };
  }

  /** A path of a tree stays. @param {number[]} ids @param {Float32Array[]} q @param {number[]} parents
   * @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _verifyTree(ids, q, parents, logits, u) {
    const children = childrenOf(parents.map((parent) => ({ parent })));
    const p = rowsOf(this.sampler.fillRows(logits, this.p.first(ids.length + 1)));
    const isOneHot = this.argmax && !this.rule.tests_softmax;
    const softmax = (/** @type {number} */ node) => {
      const first = q[children[parents[node] + 1][0]]; // which was drawn from all of it
      return first[ids[node]] > 0 ? first : q[node];
    };
    /** @type {TreeInputs} */
    const tree = {
      x: ids,
      children,
      p,
      q: (node) => (isOneHot ? oneHot(ids[node], q[node].length) : q[node]),
      s: softmax,
      u,
      y: (node) => draw(p[node + 1], u[node + 1]),
    };
    const walk = /** @type {Required<Rule>} */ (this.rule).walk(tree, this.config);
    const last = walk.last ?? draw(/** @type {Float32Array} */ (walk.after), u[u.length - 1]);
    const px = ids.map((id, node) => p[parents[node] + 1][id]);
    const qx = ids.map((id, node) => (this.rule.tests_softmax ? softmax(node)[id] : isOneHot ? 1 : q[node][id]));
    for (const [i, node] of walk.tested.entries()) {
      px[node] = walk.p[i][ids[node]];
      qx[node] = walk.q[i][ids[node]];
    }
    const { path, tested, after, mass } = walk;
    const afterPath = p[(path[path.length - 1] ?? -1) + 1];
    const distributions = { p: [...walk.p, afterPath], q: isOneHot ? tested.map((node) => q[node]) : walk.q, after };
    const verdict = { ids, accepted: path.length, last, px, qx, u, mass, best: null };
    return { ...NO_JOINT, ...verdict, ...distributions, parents, path, tested };
  }
}

const NO_JOINT = { joint: null, chance: null, mass: null };

/** Temperature 0: a drafted token stays iff it is the largest logit's. A chain is the tree in which each token follows
 * the one before. @param {Block} block @param {Tensor} logits @returns {VerifyResult} */
function verifyGreedy({ ids, parents }, logits) {
  const best = rowsOf(logits).map(argmax);
  const rowOf = (/** @type {number} */ node) => (parents ? parents[node] + 1 : node);
  const { path, tested } = walkGreedy(ids, best, childrenOf(ids.map((_, node) => ({ parent: rowOf(node) - 1 }))));
  const last = best[(path[path.length - 1] ?? -1) + 1];
  const px = ids.map((id, node) => Number(id === best[rowOf(node)]));
  const rows = { best: [...tested.map((node) => best[rowOf(node)]), last], p: null, q: null, after: null };
  const verdict = { ids, accepted: path.length, last, px, qx: ids.map(() => 1), u: null };
  return { ...NO_JOINT, ...verdict, ...rows, parents, path, tested };
}

/** @param {Tensor} tensor @returns {Float32Array[]} */
export function rowsOf(tensor) {
  return Array.from({ length: tensor.shape[0] }, (_, i) => tensor.row(i));
}

/** @param {number} id @param {number} vocabulary */
function oneHot(id, vocabulary) {
  const row = new Float32Array(vocabulary);
  row[id] = 1;
  return row;
}
