// What is said of a chosen token, in the inspector and right under the lanes.

import { el } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { ROLES, roleWord, WORDS } from "../shared/words.js";
import { explain } from "./explain.js";

/** @import { Drafted, Emitted, Picture, Round, Token } from "../shared/types.js" */
/** @import { Values } from "../shared/sentences.js" */
/** @import { Known, Picked } from "./types.js" */

/**
 * @typedef {object} Description
 * @property {Token} token
 * @property {string} role
 * @property {string} where
 * @property {[string, Values][]} sentences
 * @property {Round | null} round none for a token of the prompt
 * @property {Drafted | null} drafted
 * @property {Emitted | null} emitted
 */

/**
 * @param {Picture} picture @param {Picked | null} picked @param {Known} known how much of it has happened
 * @returns {Description | null}
 */
export function describeToken(picture, picked, known) {
  const lane = picked && picture.lanes[picked.lane];
  if (!lane || !known) return null;
  if (picked.round === undefined) {
    const token = lane.prompt[picked.prompt ?? 0];
    const prompt = { role: "prompt", where: "", round: null, drafted: null, emitted: null };
    return { token, ...prompt, sentences: [["in_prompt", { x: chip(token) }]] };
  }
  const round = lane.rounds[picked.round];
  const drafted = picked.drafted === null ? null : round.drafted[picked.drafted];
  const emitted = picked.emitted === null ? null : round.emitted[picked.emitted];
  const subject = drafted || emitted;
  if (!subject) return null;
  const place = { round: round.index + 1, i: (picked.drafted ?? 0) + 1, K: round.drafted.length };
  const short = { n: round.drafted.length, engine: picture.header.engine };
  const fewer = !drafted && round.fewer ? plain(`fewer_${round.fewer}`, short) : "";
  return {
    token: subject.token,
    role: !("verdict" in subject) ? subject.role : open(known) ? "drafted" : subject.verdict,
    where: plain(drafted ? "where_draft" : "where_after", place) + fewer,
    sentences: explain(picture, picked.lane, round, drafted, emitted, known),
    round,
    drafted,
    emitted,
  };
}

/** Whether a drafted token's verdict is still to come. @param {Known} known */
export const open = (known) => known === "drafted" || known === "checked";

/** @param {Description} description */
export function roleBadge({ role, drafted }) {
  const word = roleWord(role, drafted?.void);
  const sign = word === WORDS.void_word ? WORDS.void_sign : ROLES[role].glyph;
  return el("span.sv-role", { "data-role": role }, `${sign} ${word}`);
}
