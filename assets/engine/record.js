// What happened → the events of one run, and the totals that its last event gives (specviz/engine/events.py).

import { RULES } from "../rules/all.js";
import { positionsOf } from "./observe.js";

/** @import { Output } from "./output.js" */
/** @import { Stopwatch } from "./stopwatch.js" */
/** @import { Text } from "./text.js" */
/** @import { Cache, Config, Drafted, DraftSession, Emitted, Finished, Position, Prefill, Round,
 * ShortBlockReason, VerifyResult } from "./types.js" */

export class EventBuilder {
  /** @param {Config} config @param {Text} text @param {Stopwatch} watch @param {boolean} observe
   * @param {boolean} drafts */
  constructor(config, text, watch, observe, drafts) {
    this.rule = RULES[config.verifier];
    this.argmax = config.drafting === "argmax";
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
   * @param {number} requestedK @param {ShortBlockReason} shortBlockReason
   * @returns {Round} */
  round(result, pieces, caches, draftForwards, requestedK, shortBlockReason) {
    const start = this.watch.now();
    const k = result.ids.length;
    const endsInside = pieces.length <= result.accepted; // the run ended on an accepted token
    const accepted = endsInside ? pieces.length : result.accepted;
    const rejected = !endsInside && accepted < k;
    const tested = accepted + Number(rejected);
    const rows = tested + Number(!rejected && !endsInside);
    const replaced = rejected && this.rule.from_residual;
    const [positions, residual] = this.observe
      ? positionsOf(result, rows, tested, replaced, this.argmax, this.text)
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
