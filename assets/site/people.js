// You are the draft, without a server: words are cut and scored by the worker (specviz/page/classroom/messages.py).

import { fillText } from "../shared/sentences.js";
import { draftsOf, panelConfig } from "./requests.js";

/** @import { Drafted, Emitted, Round, Token } from "../engine/types.js" */
/** @import { EmittedToken, DraftCounts, DraftToken, PlayedRound } from "../lab/classroom/types.js" */
/** @import { Server } from "../lab/types.js" */
/** @import { Live, ShowStatus } from "./live.js" */
/** @import { GameServer } from "../play/types.js" */
/** @import { SiteData } from "./types.js" */
/**
 * @typedef {{ round: Round, people: DraftCounts, others: ({ key: string } & DraftCounts)[],
 * ended: PlayedRound["ended"] }} Scored
 */

const BYTES_PER_MB = 1e6;
const SMALL = "small"; // the drafter that plays against a person
const TOP_ENTRIES = 6; // of p and q that are shown at a place

/** What the panel and the game ask, each answered by a text of JSON. @param {SiteData} site
 * @param {Live} live @returns {GameServer & Pick<Server, "pieces">} */
export function people(site, live) {
  const target = site.target.name;
  const all = site.drafters.map(({ key }) => key).filter((key) => key !== "oracle");
  const { most, ...words } = site.people;
  let onStatus = (/** @type {string} */ _) => {};
  /** @type {ShowStatus} */
  const showStatus = (state, { message } = {}) => onStatus(state === "fetching" ? String(message) : "");
  /** @param {any} fields @param {"prompt" | "words"} name @param {boolean} further */
  async function tokensOf(fields, name, further) {
    const text = String(fields[name] ?? "");
    const bound = Number(words[`${name}_most`]);
    if (!text.trim()) throw new Error(words[`empty_${name}`]);
    if (text.length > bound) throw new Error(fillText(words[`long_${name}`], { characters: text.length, most: bound }));
    return /** @type {Token[]} */ (await live.resultOf({ type: "cut", target, text, further }, [], showStatus));
  }
  /** @param {any} fields */
  async function score(fields) {
    const guess = await tokensOf(fields, "words", true);
    if (guess.length > Number(most)) throw new Error(fillText(words.many, { tokens: guess.length, most }));
    const config = panelConfig(site, (name) => (name in fields ? String(fields[name]) : ""));
    const guesses = [guess.map(({ id }) => id)];
    /** @type {string[]} */
    const keys = all.filter((key) => (fields.others ?? all).includes(key));
    const drafts = draftsOf(site, keys);
    const work = { type: /** @type {const} */ ("score"), target, drafts, text: fields.text, guesses, config };
    const played = /** @type {Scored} */ (await live.resultOf(work, keys, showStatus));
    onStatus("");
    return playedRound(played, config.temperature === 0);
  }
  /** @param {Scored} scored @param {boolean} greedy @returns {PlayedRound} */
  function playedRound({ round, people, others, ended }, greedy) {
    const name = (/** @type {string} */ key) => site.drafters.find((one) => one.key === key)?.label ?? key;
    return {
      drafted: round.drafted.map(guessedToken),
      emitted: round.emitted.map((emitted) => addedToken(emitted, round)),
      people,
      others: others.map((other) => ({ ...other, name: name(other.key) })),
      ended,
      greedy,
    };
  }
  const refusal = (/** @type {unknown} */ error) => ({
    error: error instanceof Error ? error.message : site.words.lost,
  });
  const jsonAnswer = (/** @type {(fields: any) => Promise<unknown>} */ act) => async (/** @type {unknown} */ fields) =>
    JSON.stringify(await act(fields).catch(refusal));
  return {
    begin: jsonAnswer(async (fields) => ({ tokens: await tokensOf(fields, "prompt", false) })),
    pieces: jsonAnswer(async (fields) => ({ tokens: await tokensOf(fields, "words", true) })),
    score: jsonAnswer(score),
    note() {
      const bytes = live.missing([SMALL]);
      return bytes ? fillText(site.words.come, { megabytes: (bytes / BYTES_PER_MB).toFixed(0) }) : "";
    },
    hear(act) {
      onStatus = act;
    },
  };
}

/** @param {Drafted} drafted @returns {DraftToken} */
function guessedToken({ token, q, p, u, verdict, position }) {
  if (!position) return { token, q, p, u, verdict, place: null };
  const most = (/** @type {{ p: number, q: number | null }} */ entry) => Math.max(entry.p, entry.q ?? 0);
  const own = (/** @type {{ token: Token }} */ entry) => Number(entry.token.id === token.id);
  const entries = [...position.entries]
    .sort((a, b) => own(b) - own(a) || most(b) - most(a))
    .slice(0, TOP_ENTRIES)
    .map((entry) => ({ token: entry.token, p: entry.p, q: entry.q ?? 0 }))
    .sort((a, b) => b.q - a.q || b.p - a.p);
  const left = (/** @type {"p" | "q"} */ of) => entries.reduce((all, entry) => all - entry[of], 1);
  const rest = { p: Math.max(0, left("p")), q: Math.max(0, left("q")) };
  return { token, q, p, u, verdict, place: { entries, rest, beta: position.beta } };
}

/** With the chance that the token had where it was drawn. @param {Emitted} emitted @param {Round} round
 * @returns {EmittedToken} */
function addedToken({ token, role, position }, { residual }) {
  const same = (/** @type {{ token: Token }} */ entry) => entry.token.id === token.id;
  const left = role === "corrected" ? residual?.entries.find(same)?.probability : undefined;
  const chance = role === "corrected" && residual ? left : position?.entries.find(same)?.p;
  return { token, role, chance: chance ?? null };
}
