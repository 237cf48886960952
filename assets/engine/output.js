// The text of one run while it grows, and what ends it (specviz/engine/decode.py).

/** @import { Text } from "./text.js" */
/** @import { Config, Reason } from "./types.js" */

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
