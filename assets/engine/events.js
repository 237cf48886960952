// What happened → the events of one run, and the totals that its last event gives (specviz/engine/events.py). The numbers
// of a round become plain values outside of its timed part.

import { RULES } from "../rules/all.js";
import { topK } from "./verify.js";

/** @import { Output, Stopwatch } from "./decode.js" */
/** @import { Text } from "./text.js" */
/** @import { Cache, Config, Drafted, DraftSession, Emitted, Finished, Position, Prefill, Residual, Round, ShortBlockReason,
 * Softmax, VerifyResult } from "./types.js" */

const TOP_ENTRIES = 8; // entries of p and of q that are kept, beside the token in question
const SOFTMAX_ENTRIES = 5; // of these before temperature 0

/** The first `rows` positions of a decided block, `tested` of them drafted, and the residual if the last of these
 * was replaced from it.
 * @param {VerifyResult} result @param {number} rows @param {number} tested @param {boolean} replaced
 * @param {boolean} argmax
 * @param {Text} text @returns {[Position[], Residual | null]} */
function makePositions(result, rows, tested, replaced, argmax, text) {
  const { ids, last, best, p, q, after } = result;
  if (best)
    return [oneHotPositions(best.slice(0, rows), ids.slice(0, tested), text), replaced ? oneHotResidual(last, text) : null];
  const positions = Array.from({ length: rows }, (_, i) => {
    const row = /** @type {Float32Array[]} */ (p)[i];
    return i < tested && q ? draftedPosition(row, q[i], ids[i], argmax, text) : undraftedPosition(row, last, text);
  });
  if (!replaced || !after) return [positions, null];
  return [positions, residualFrom(after, last, 1 - (positions[positions.length - 1].beta ?? 0), text)];
}

/** In nats. @param {Float32Array} p */
function entropy(p) {
  let sum = 0;
  for (let j = 0; j < p.length; j++) if (p[j] > 0) sum -= p[j] * Math.log(p[j]);
  return Math.max(0, sum);
}

/** @param {number[]} values */
function rest(values) {
  return Math.max(0, 1 - values.reduce((sum, value) => sum + value, 0));
}

/** @param {Float32Array} p @param {Float32Array} s what the draft gave @param {number} x @param {boolean} argmax
 * @param {Text} text @returns {Position} */
function draftedPosition(p, s, x, argmax, text) {
  const largestOfS = topK(s, TOP_ENTRIES);
  const ids = [...new Set([...topK(p, TOP_ENTRIES), x, ...largestOfS])].filter((id) => p[id] > 0 || s[id] > 0);
  let [beta, dot] = [0, 0];
  for (let j = 0; j < p.length; j++) {
    beta += Math.min(p[j], s[j]);
    dot += p[j] * s[j];
  }
  const shared = { p_rest: rest(ids.map((id) => p[id])), p_entropy: entropy(p), product: Math.min(dot, 1) };
  const sRest = rest(ids.map((id) => s[id]));
  if (argmax) {
    const entries = ids.map((id) => ({ token: text.token(id), p: p[id], q: Number(id === x) }));
    const own = { entries: ids.map((id) => s[id]), rest: sRest, beta: Math.min(beta, 1), entropy: entropy(s) };
    return { ...shared, entries, q_rest: 0, beta: p[x], q_entropy: 0, best: p[x], own };
  }
  const entries = ids.map((id) => ({ token: text.token(id), p: p[id], q: s[id] }));
  return {
    ...shared,
    entries,
    q_rest: sRest,
    beta: Math.min(beta, 1),
    q_entropy: entropy(s),
    best: p[largestOfS[0]],
    own: null,
  };
}

/** What a bonus or plain token was drawn from. @param {Float32Array} p @param {number} x
 * @param {Text} text @returns {Position} */
function undraftedPosition(p, x, text) {
  const ids = [...new Set([...topK(p, TOP_ENTRIES), x])].filter((id) => p[id] > 0);
  const entries = ids.map((id) => ({ token: text.token(id), p: p[id], q: null }));
  return { ...UNDRAFTED, entries, p_rest: rest(ids.map((id) => p[id])), p_entropy: entropy(p) };
}

const UNDRAFTED = { q_rest: null, beta: null, q_entropy: null, product: null, best: null, own: null };

/** @param {Float32Array} after @param {number} x @param {number} mass @param {Text} text @returns {Residual} */
function residualFrom(after, x, mass, text) {
  const ids = [...new Set([...topK(after, TOP_ENTRIES).filter((id) => after[id] > 0), x])];
  const entries = ids.map((id) => ({ token: text.token(id), probability: after[id] }));
  return { entries, rest: rest(ids.map((id) => after[id])), mass };
}

/** Greedy: of each position `best` has all of p, and `drafted` all of q where something was. @param {number[]} best
 * @param {number[]} drafted @param {Text} text @returns {Position[]} */
function oneHotPositions(best, drafted, text) {
  return best.map((y, i) => {
    const x = drafted[i];
    const one = { token: text.token(y), p: 1 };
    if (x === undefined) return { ...UNDRAFTED, entries: [{ ...one, q: null }], p_rest: 0, p_entropy: 0 };
    const same = Number(x === y);
    const entries = [{ ...one, q: same }];
    if (!same) entries.push({ token: text.token(x), p: 0, q: 1 });
    const entropies = { p_entropy: 0, q_entropy: 0 };
    return { entries, p_rest: 0, q_rest: 0, beta: same, ...entropies, product: same, best: same, own: null };
  });
}

/** All of p is left. @param {number} y @param {Text} text @returns {Residual} */
function oneHotResidual(y, text) {
  return { entries: [{ token: text.token(y), probability: 1 }], rest: 0, mass: 1 };
}

/** Of the softmax of the target's logits and of the draft's, where x is the token in question. @param {Float32Array} p
 * @param {Float32Array | null} q @param {number} x @param {Text} text @returns {Softmax} */
export function softmaxEntries(p, q, x, text) {
  const ids = [...new Set([...topK(p, SOFTMAX_ENTRIES), ...(q ? topK(q, SOFTMAX_ENTRIES) : []), x])];
  const rounded = (/** @type {Float32Array} */ row) => ids.map((id) => Number(row[id].toPrecision(5)));
  const left = (/** @type {number[]} */ values) => Number(rest(values).toFixed(6));
  const [ps, qs] = [rounded(p), q && rounded(q)];
  const entries = ids.map((id, i) => ({ token: text.token(id), p: ps[i], q: qs?.[i] ?? null }));
  return { entries, p_rest: left(ps), q_rest: qs && left(qs) };
}

export class EventBuilder {
  /** @param {Config} config @param {Text} text @param {Stopwatch} stopwatch @param {boolean} observe
   * @param {boolean} drafts */
  constructor(config, text, stopwatch, observe, drafts) {
    this.rule = RULES[config.verifier];
    this.argmax = config.drafting === "argmax";
    this.text = text;
    this.stopwatch = stopwatch;
    this.observe = observe;
    this.drafts = drafts;
    this.total = {
      text: "",
      tokens: 0,
      rounds: 0,
      drafted: 0,
      tested: 0,
      accepted: 0,
      prefill_ms: 0,
      decode_ms: 0,
      observe_ms: 0,
    };
  }

  /** @param {number[]} prompt @param {number} target @param {number | null} draft positions @param {number[]} marks ms
   * @returns {Prefill} */
  prefill(prompt, target, draft, [start, middle, end]) {
    this.total.prefill_ms = end - start;
    const tokens = prompt.map((id) => this.text.token(id));
    const positions = { target_positions: target, draft_positions: draft };
    return { event: "prefill", prompt: tokens, ...positions, target_ms: middle - start, draft_ms: end - middle };
  }

  /** Of a decided block and the pieces of those of its tokens that joined the text. @param {VerifyResult} result
   * @param {string[]} pieces
   * @param {{ target: Cache, draft: Cache | null }} caches @param {number} draftForwards
   * @param {number} requestedK @param {ShortBlockReason} shortBlockReason
   * @returns {Round} */
  round(result, pieces, caches, draftForwards, requestedK, shortBlockReason) {
    const start = this.stopwatch.now();
    const k = result.ids.length;
    const endsInside = pieces.length <= result.accepted; // the run ended on an accepted token
    const accepted = endsInside ? pieces.length : result.accepted;
    const rejected = !endsInside && accepted < k;
    const tested = accepted + Number(rejected);
    const rows = tested + Number(!rejected && !endsInside);
    const replaced = rejected && this.rule.from_residual;
    const [positions, residual] = this.observe
      ? makePositions(result, rows, tested, replaced, this.argmax, this.text)
      : [[], null];
    const drafted = this._draftedTokens(result, accepted, tested, positions);
    const uniforms = this.rule.draws_each ? result.u : null;
    /** @type {Emitted[]} */
    const emitted = drafted.slice(0, accepted).map(({ token }, i) => {
      return { token, role: "accepted", piece: pieces[i], u: uniforms?.[i] ?? null, position: null };
    });
    if (!endsInside) {
      const position = rows > tested ? (positions[tested] ?? null) : null;
      emitted.push(this._lastToken(result, pieces[pieces.length - 1], accepted, rejected, position));
    }
    const times = { ...this.stopwatch.phases(), observe: this.stopwatch.now() - start };
    if (!this.drafts) {
      times.rest += times.draft; // the draw of this round's uniform is no drafting
      times.draft = 0;
    }
    const { total } = this;
    total.text += pieces.join("");
    total.tokens += pieces.length;
    total.rounds += 1;
    total.drafted += k;
    total.tested += tested;
    total.accepted += accepted;
    total.decode_ms += times.draft + times.verify + times.decide + times.rest;
    total.observe_ms += times.observe;
    const forwards = { target_forwards: total.rounds, draft_forwards: draftForwards };
    const cacheLengths = { target_cache: caches.target, draft_cache: caches.draft };
    const reasons = { asked: requestedK, fewer: shortBlockReason, choice: null };
    return {
      event: "round",
      index: total.rounds - 1,
      drafted,
      emitted,
      residual,
      ...cacheLengths,
      ...forwards,
      times,
      ...reasons,
    };
  }

  /** @param {VerifyResult} result @param {number} accepted @param {number} tested
   * @param {Position[]} positions of what was tested @returns {Drafted[]} */
  _draftedTokens({ ids, px, qx, u }, accepted, tested, positions) {
    return ids.map((id, i) => ({
      token: this.text.token(id),
      q: qx[i],
      p: px[i],
      ratio: px[i] / qx[i],
      u: u && this.rule.tests_u && i < tested ? u[i] : null,
      verdict: i < accepted ? "accepted" : i < tested ? "rejected" : "unexamined",
      position: (i < tested && positions[i]) || null,
      joint: null,
      chance: null,
    }));
  }

  /** @param {VerifyResult} result @param {string} piece @param {number} accepted
   * @param {boolean} rejected @param {Position | null} position @returns {Emitted} */
  _lastToken({ ids, last, u }, piece, accepted, rejected, position) {
    const role = !ids.length ? "plain" : rejected ? "corrected" : "bonus";
    const uniform = u?.[this.rule.draws_each ? accepted : u.length - 1] ?? null;
    return { token: this.text.token(last), role, piece, u: uniform, position };
  }

  /** @param {Output} output @param {DraftSession} session @returns {Finished} */
  finished(output, session) {
    const { text, ...counts } = this.total;
    const forwards = { target_forwards: counts.rounds, draft_forwards: session.forwards };
    const none = { capture_ms: 0, eager: "", processor_ms: null, device_ms: null };
    const reason = output.reason ?? "error";
    return { event: "finished", reason, detail: output.detail, text, ...counts, ...forwards, ...none };
  }
}
