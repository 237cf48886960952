// Ids ↔ text (specviz/engine/text.py): encode a prompt, name one token, stream the text of many.

import { Tokenizer } from "./vendor/tokenizers.js";

/** @import { Token } from "./types.js" */

const PROMPT_LIMIT = 400_000; // characters of a prompt
const REPLACEMENT = "\ufffd"; // what a decoder writes for bytes that are no character

/** The prompt cannot be decoded from; the message says why. */
export class PromptError extends Error {}

export class Text {
  /** @param {any} tokenizer tokenizer.json @param {any} about tokenizer_config.json
   * @param {number[]} eos ids that end a text @param {string[] | null} chat what stands before a prompt and after it, where a
   * prompt is what a user says to an assistant */
  constructor(tokenizer, about, eos, chat = null) {
    this.chat = chat;
    this.backend = new Tokenizer(tokenizer, { ...about, clean_up_tokenization_spaces: false });
    this.bos = about.bos_token === undefined ? undefined : this.backend.token_to_id(about.bos_token);
    this.eos = new Set(eos);
    this.special = new Set(this.backend.get_added_tokens_decoder().keys());
    // a plain token: what another adds after it includes its leading space
    this.anchor = this.encodeContinuation("a").slice(-1)[0];
    this.before = this.decode([this.anchor]);
    /** @type {Map<number, Token>} */
    this.tokens = new Map();
  }

  /** Ids of the prompt after one beginning-of-sequence id. @param {string} prompt */
  encode(prompt) {
    if (prompt.length > PROMPT_LIMIT) {
      const [has, most] = [prompt.length, PROMPT_LIMIT].map((n) => n.toLocaleString("en"));
      throw new PromptError(`The prompt has ${has} characters; at most ${most} are tokenised.`);
    }
    if (/\p{Surrogate}/u.test(prompt))
      throw new PromptError("The prompt is not valid Unicode text: it holds half of a character.");
    if (this.chat) return this.encodeContinuation(this.chat.join(prompt));
    const ids = this._promptIds(prompt);
    if (this.bos !== undefined && ids[0] !== this.bos) ids.unshift(this.bos);
    if (!ids.length) throw new PromptError("The prompt is empty: there is no token to start from.");
    return ids;
  }

  /** @param {number[]} ids */
  decode(ids, skip = false) {
    return this.backend.decode(ids, { skip_special_tokens: skip, clean_up_tokenization_spaces: false });
  }

  /** @param {number} id @returns {Token} */
  token(id) {
    let token = this.tokens.get(id);
    if (!token) {
      token = this._name(id);
      this.tokens.set(id, token);
    }
    return token;
  }

  /** The text that ids add, piece by piece, as they continue the prompt. @param {number[]} prompt */
  stream(prompt) {
    const incomplete = this.decode(prompt, true).endsWith(REPLACEMENT); // else it would be said again
    return new Stream(this, incomplete ? [...prompt, this.anchor] : [...prompt]);
  }

  /** Ids after what the tokenizer's template puts before them; what it puts after them would end the text.
   * @param {string} prompt */
  _promptIds(prompt) {
    const own = this.encodeContinuation(prompt);
    const whole = this.backend.encode(prompt, { add_special_tokens: true }).ids;
    let at = whole.length - own.length;
    while (at > 0 && own.some((id, i) => id !== whole[at + i])) at--;
    return whole.slice(0, at + own.length);
  }

  /** Ids of what goes on after a text: nothing is put before it. @param {string} text */
  encodeContinuation(text) {
    return this.backend.encode(text, { add_special_tokens: false }).ids;
  }

  /** @param {number} id @returns {Token} */
  _name(id) {
    const raw = this.backend.id_to_token(id);
    if (raw === undefined) return { id, text: `⟨unused ${id}⟩`, partial: false };
    if (this.special.has(id)) return { id, text: raw, partial: false };
    const both = this.decode([this.anchor, id]);
    const text = both.startsWith(this.before) ? both.slice(this.before.length) : this.decode([id]);
    if (text.includes(REPLACEMENT) && !raw.includes(REPLACEMENT)) {
      const data = bytes(raw);
      // replacement characters that the bytes themselves spell
      const own = data.join().split("239,191,189").length - 1;
      const replacements = new TextDecoder().decode(Uint8Array.from(data)).split(REPLACEMENT).length - 1;
      const hex = data.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" ");
      if (replacements > own) return { id, text: `⟨${hex}⟩`, partial: true };
    }
    return { id, text, partial: false };
  }
}

/** As `DecodeStream` of the library tokenizers: a piece is given once its characters are whole. */
class Stream {
  /** @param {Text} text @param {number[]} ids */
  constructor(text, ids) {
    this.text = text;
    this.ids = ids;
    this.prefix = "";
    this.index = 0;
    this._restart(ids);
  }

  /** The text that `id` adds; empty while a character is incomplete. @param {number} id */
  push(id) {
    const piece = this._step(id);
    if (piece !== null) return piece;
    this._restart([this.text.anchor]); // a stray byte took back text that was given: go on after it
    return REPLACEMENT + (this._step(id) ?? "");
  }

  /** @param {number[]} ids */
  _restart(ids) {
    this.ids = ids;
    const prefix = this.text.decode(ids, true);
    const whole = !prefix.endsWith(REPLACEMENT);
    this.prefix = whole ? prefix : "";
    this.index = whole ? ids.length : 0;
  }

  /** @param {number} id @returns {string | null} null where it takes back what was given */
  _step(id) {
    this.ids.push(id);
    const all = this.text.decode(this.ids, true);
    if (byteCount(all) <= byteCount(this.prefix) || all.endsWith(REPLACEMENT)) return "";
    if (!all.startsWith(this.prefix)) return null;
    const piece = all.slice(this.prefix.length);
    const next = this.ids.length - this.index;
    this.ids = this.ids.slice(this.index);
    this.prefix = this.text.decode(this.ids, true);
    this.index = next;
    return piece;
  }
}

/** @param {string} text */
function byteCount(text) {
  return new TextEncoder().encode(text).length;
}

/** The bytes of a token in the alphabet of GPT-2, or as <0xE2>. @param {string} raw @returns {number[]} */
function bytes(raw) {
  if (/^<0x[0-9A-F]{2}>$/i.test(raw)) return [Number.parseInt(raw.slice(3, 5), 16)];
  return [...raw].flatMap((letter) => ALPHABET.get(letter) ?? [...new TextEncoder().encode(letter)]);
}

/** Letter → byte: printable Latin-1 stands for itself, the rest for letters from U+0100 on. */
const ALPHABET = new Map();
for (let byte = 0, next = 256; byte < 256; byte++) {
  const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  ALPHABET.set(String.fromCharCode(printable ? byte : next++), byte);
}
