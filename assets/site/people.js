// You are the draft, without a server: words are cut and scored by the worker (specviz/page/classroom/asked.py).

import { fillText } from "../shared/sentences.js";
import { configOf, draftsOf } from "./asked.js";

/** @import { Drafted, Emitted, Round, Token } from "../engine/types.js" */
/** @import { Added, Counted, Guessed, Played } from "../lab/classroom/types.js" */
/** @import { Server } from "../lab/types.js" */
/** @import { Live, Say } from "./live.js" */
/** @import { Drafting } from "../play/types.js" */
/** @import { Given } from "./types.js" */
/**
 * @typedef {{ round: Round, people: Counted, others: ({ key: string } & Counted)[], ended: Played["ended"] }} Scored
 */

const MEGA = 1e6;
const SMALL = "small"; // the drafter that plays against a person
const SHOWN = 6; // entries of p and q that are shown at a place

/** What the panel and the game ask, each answered by a text of JSON. @param {Given} given
 * @param {Live} live @returns {Drafting & Pick<Server, "pieces">} */
export function people(given, live) {
  const target = given.target.name;
  const all = given.drafters.map(({ key }) => key).filter((key) => key !== "oracle");
  const { most, ...said } = given.people;
  let heard = (/** @type {string} */ _) => {};
  /** @type {Say} */
  const say = (state, { message } = {}) => heard(state === "fetching" ? String(message) : "");
  /** @param {any} sent @param {"prompt" | "words"} name @param {boolean} further */
  async function cut(sent, name, further) {
    const text = String(sent[name] ?? "");
    const bound = Number(said[`${name}_most`]);
    if (!text.trim()) throw new Error(said[`empty_${name}`]);
    if (text.length > bound) throw new Error(fillText(said[`long_${name}`], { characters: text.length, most: bound }));
    return /** @type {Token[]} */ (await live.found({ type: "cut", target, text, further }, [], say));
  }
  /** @param {any} sent */
  async function score(sent) {
    const guess = await cut(sent, "words", true);
    if (guess.length > Number(most)) throw new Error(fillText(said.many, { tokens: guess.length, most }));
    const config = configOf(given, (name) => (name in sent ? String(sent[name]) : ""));
    const guesses = [guess.map(({ id }) => id)];
    /** @type {string[]} */
    const keys = all.filter((key) => (sent.others ?? all).includes(key));
    const drafts = draftsOf(given, keys);
    const work = { type: /** @type {const} */ ("score"), target, drafts, text: sent.text, guesses, config };
    const played = /** @type {Scored} */ (await live.found(work, keys, say));
    heard("");
    return told(played, config.temperature === 0);
  }
  /** @param {Scored} scored @param {boolean} greedy @returns {Played} */
  function told({ round, people, others, ended }, greedy) {
    const name = (/** @type {string} */ key) => given.drafters.find((one) => one.key === key)?.label ?? key;
    return {
      drafted: round.drafted.map(guessed),
      emitted: round.emitted.map((emitted) => added(emitted, round)),
      people,
      others: others.map((other) => ({ ...other, name: name(other.key) })),
      ended,
      greedy,
    };
  }
  const answered = (/** @type {(sent: any) => Promise<unknown>} */ act) => async (/** @type {unknown} */ sent) => {
    const found = await act(sent).catch((error) => ({
      error: error instanceof Error ? error.message : given.words.lost,
    }));
    return JSON.stringify(found);
  };
  return {
    begin: answered(async (sent) => ({ tokens: await cut(sent, "prompt", false) })),
    pieces: answered(async (sent) => ({ tokens: await cut(sent, "words", true) })),
    score: answered(score),
    note() {
      const bytes = live.missing([SMALL]);
      return bytes ? fillText(given.words.come, { megabytes: (bytes / MEGA).toFixed(0) }) : "";
    },
    hear(act) {
      heard = act;
    },
  };
}

/** @param {Drafted} drafted @returns {Guessed} */
function guessed({ token, q, p, u, verdict, position }) {
  if (!position) return { token, q, p, u, verdict, place: null };
  const most = (/** @type {{ p: number, q: number | null }} */ entry) => Math.max(entry.p, entry.q ?? 0);
  const own = (/** @type {{ token: Token }} */ entry) => Number(entry.token.id === token.id);
  const entries = [...position.entries]
    .sort((a, b) => own(b) - own(a) || most(b) - most(a))
    .slice(0, SHOWN)
    .map((entry) => ({ token: entry.token, p: entry.p, q: entry.q ?? 0 }))
    .sort((a, b) => b.q - a.q || b.p - a.p);
  const rest = (/** @type {"p" | "q"} */ of) =>
    Math.max(
      0,
      entries.reduce((left, entry) => left - entry[of], 1),
    );
  return { token, q, p, u, verdict, place: { entries, rest: { p: rest("p"), q: rest("q") }, beta: position.beta } };
}

/** With the chance that the token had where it was drawn. @param {Emitted} emitted @param {Round} round
 * @returns {Added} */
function added({ token, role, position }, { residual }) {
  const same = (/** @type {{ token: Token }} */ entry) => entry.token.id === token.id;
  const left = role === "corrected" ? residual?.entries.find(same)?.probability : undefined;
  const chance = role === "corrected" && residual ? left : position?.entries.find(same)?.p;
  return { token, role, chance: chance ?? null };
}
