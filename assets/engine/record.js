// What happened → the events of one run, and the totals that its last event gives (specviz/engine/record.py).

import { RULES } from "../rules/all.js";
import { positionsOf } from "./observe.js";

/** @import { Output } from "./output.js" */
/** @import { Stopwatch } from "./stopwatch.js" */
/** @import { Text } from "./text.js" */
/** @import { Cache, Choice, Config, Drafted, DraftSession, Emitted, Finished, Position, Prefill, Round,
 * ShortBlockReason, VerifyResult } from "./types.js" */

export class EventBuilder {
  /** @param {Config} config @param {Text} text @param {Stopwatch} watch @param {boolean} observe
   * @param {boolean} drafts */
  constructor(config, text, watch, observe, drafts) {
    this.rule = RULES[config.verifier];
    this.argmax = config.drafting === "argmax" && !this.rule.tests_softmax;
    this.text = text;
    this.watch = watch;
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
   * @param {number} requestedK @param {ShortBlockReason} shortBlockReason @param {Choice | null} choice
   * @returns {Round} */
  round(result, pieces, caches, draftForwards, requestedK, shortBlockReason, choice) {
    const start = this.watch.now();
    const k = result.ids.length;
    const full = { path: range(result.accepted), tested: range(Math.min(result.accepted + 1, k)), ...result };
    const endsInside = pieces.length <= result.accepted; // the run ended on an accepted token
    const path = endsInside ? full.path.slice(0, pieces.length) : full.path;
    const end = path[path.length - 1] ?? -1;
    const tested = endsInside ? full.tested.slice(0, full.tested.indexOf(end) + 1) : full.tested;
    const rejected = !endsInside && tested.length > 0 && tested[tested.length - 1] !== end;
    const rows = tested.length + Number(!rejected && !endsInside);
    const replaced = rejected && this.rule.from_residual;
    const [positions, residual] = this.observe
      ? positionsOf(result, rows, tested.length, replaced, this.argmax, this.text)
      : [[], null];
    const drafted = this._draftedTokens(result, path, tested, positions);
    const uniforms = this.rule.draws_each ? result.u : null;
    const rowOf = (/** @type {number} */ node) => (result.parents ? result.parents[node] + 1 : node);
    /** @type {Emitted[]} */
    const emitted = path.map((node, i) => {
      const { token } = drafted[node];
      return { token, role: "accepted", piece: pieces[i], u: uniforms?.[rowOf(node)] ?? null, position: null };
    });
    if (!endsInside) {
      const position = rows > tested.length ? (positions[tested.length] ?? null) : null;
      emitted.push(this._lastToken(result, pieces[pieces.length - 1], end + 1, rejected, position));
    }
    const times = { ...this.watch.phases(), observe: this.watch.now() - start };
    if (!this.drafts) {
      times.rest += times.draft; // the draw of this round's uniform is no drafting
      times.draft = 0;
    }
    const { total } = this;
    total.text += pieces.join("");
    total.tokens += pieces.length;
    total.rounds += 1;
    total.drafted += k;
    total.tested += tested.length;
    total.accepted += path.length;
    total.decode_ms += times.draft + times.verify + times.decide + times.rest;
    total.observe_ms += times.observe;
    const forwards = { target_forwards: total.rounds, draft_forwards: draftForwards };
    const cacheLengths = { target_cache: caches.target, draft_cache: caches.draft };
    const reasons = { asked: requestedK, fewer: shortBlockReason, choice };
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

  /** @param {VerifyResult} result @param {number[]} path @param {number[]} tested
   * @param {Position[]} positions of what was tested @returns {Drafted[]} */
  _draftedTokens({ ids, px, qx, u, joint, chance, parents }, path, tested, positions) {
    const places = treePlaces(parents ?? []);
    return ids.map((id, i) => {
      const at = tested.indexOf(i);
      const position = at < 0 ? null : (positions[at] ?? null);
      // what is left of p after a sibling says nothing of other rules
      const second = position && places[i]?.rank ? { ...position, product: null, best: null } : position;
      return {
        token: this.text.token(id),
        q: qx[i],
        p: px[i],
        ratio: px[i] / qx[i],
        u: u && this.rule.tests_u && (joint || at >= 0) ? u[i] : null,
        verdict: path.includes(i) ? "accepted" : at >= 0 ? "rejected" : "unexamined",
        position: second,
        joint: joint?.[i] ?? null,
        chance: chance?.[i] ?? null,
        ...places[i],
      };
    });
  }

  /** @param {VerifyResult} result @param {string} piece @param {number} after which row follows the path
   * @param {boolean} rejected @param {Position | null} position @returns {Emitted} */
  _lastToken({ ids, last, u }, piece, after, rejected, position) {
    const role = !ids.length ? "plain" : rejected ? "corrected" : "bonus";
    const uniform = u?.[this.rule.draws_each ? after : u.length - 1] ?? null;
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

/** @param {number} n */
const range = (n) => Array.from({ length: n }, (_, i) => i);

/** Of each node of a tree its parent, depth and rank. @param {number[]} parents */
function treePlaces(parents) {
  /** @type {{ parent: number, depth: number, rank: number }[]} */
  const places = [];
  for (const parent of parents) {
    const rank = places.filter((other) => other.parent === parent).length;
    places.push({ parent, depth: parent < 0 ? 1 : places[parent].depth + 1, rank });
  }
  return places;
}
