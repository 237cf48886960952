// People as the draft: what they guess is the block, and how their guesses are spread is q (specviz/lab/classroom.py).

import { decode } from "../decode.js";
import { Stateless, tableInfo } from "../draft/base.js";
import { argmax, draw } from "../sampling.js";
import { PromptError } from "../text.js";
import { rowsOf } from "../verify.js";

/** @import { DraftContext } from "../draft/base.js" */
/** @import { Block, Config, Drafter, Round, Setup } from "../types.js" */
/** @typedef {{ drafted: number, tested: number, accepted: number, beta: number }} DraftCounts */

const SEED_COUNT = 2 ** 32;

/** @implements {Drafter} */
class Guesses {
  kind = "people";

  /** @param {number[][]} guesses ids @param {number} vocabulary */
  constructor(guesses, vocabulary) {
    this.guesses = guesses.filter(({ length }) => length);
    this.info = tableInfo("people", "people", vocabulary);
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new GuessesSession(context, this.guesses);
  }
}

class GuessesSession extends Stateless {
  /** @param {DraftContext} context @param {number[][]} guesses */
  constructor(context, guesses) {
    super(context);
    this.guesses = guesses;
  }

  /** Where a block ends depends on tokens that are in it already, so its q is the one that it was drawn from.
   * @param {number[]} _tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(_tokens, k, u) {
    const { q, vocabulary } = this.context;
    /** @type {number[]} */
    const ids = [];
    for (;;) {
      const nextIds = ids.length < k ? this._nextIds(ids) : [];
      if (!nextIds.length) break;
      const row = u ? q.row(ids.length).fill(0) : new Float32Array(vocabulary);
      for (const id of nextIds) row[id] += 1;
      for (const id of new Set(nextIds)) row[id] /= nextIds.length;
      ids.push(u ? draw(row, u[ids.length]) : argmax(row));
    }
    const tensor = u && ids.length ? q.first(ids.length) : null;
    return { ids, q: tensor && rowsOf(tensor), tensor, shortBlockReason: null };
  }

  /** @param {number[]} prefix */
  _nextIds(prefix) {
    const n = prefix.length;
    return this.guesses.flatMap((guess) =>
      guess.length > n && prefix.every((id, i) => guess[i] === id) ? guess[n] : [],
    );
  }
}

/** One round after `text` that people draft, and for each of `others` one round after the same text, with as many
 * tokens. `ended`: why the text cannot go on, null if it can. @param {Setup} setup @param {number[]} text ids
 * @param {number[][]} guesses ids @param {Config} config @param {Record<string, Drafter>} others */
export function playRound(setup, text, guesses, config, others) {
  const { target } = setup;
  const k = Math.max(...guesses.map(({ length }) => length));
  const seed = (config.seed * 1_000_003 + text.length) % SEED_COUNT;
  const roundConfig = (/** @type {number} */ K) => ({ ...config, K, max_new_tokens: K + 1, seed });
  const round = oneRound({ ...setup, drafter: new Guesses(guesses, target.vocabulary) }, text, roundConfig(k));
  const sameLength = roundConfig(round.drafted.length);
  const scores = Object.entries(others).map(([key, drafter]) => {
    return { key, ...draftCounts(oneRound({ ...setup, drafter }, text, sameLength)) };
  });
  const last = round.emitted[round.emitted.length - 1];
  const full = text.length + round.emitted.length >= target.context;
  const ended = full ? "context" : last && setup.text.eos.has(last.token.id) ? "eos" : null;
  return { round, people: draftCounts(round), others: scores, ended };
}

/** @param {Setup} setup @param {number[]} text @param {Config} config @returns {Round} */
function oneRound(setup, text, config) {
  for (const event of decode(setup, text, config)) if (event.event === "round") return event;
  throw new PromptError("The text fills the target's context.");
}

/** @param {Round} round @returns {DraftCounts} */
function draftCounts({ drafted }) {
  const tested = drafted.filter(({ verdict }) => verdict !== "unexamined");
  return {
    drafted: drafted.length,
    tested: tested.length,
    accepted: tested.filter(({ verdict }) => verdict === "accepted").length,
    beta: tested.reduce((sum, { position }) => sum + (position?.beta ?? 0), 0),
  };
}
