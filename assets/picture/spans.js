// One round on its lane's clock, and the spans that it puts into the text. Phases are timed as wholes; what happens
// inside one is spread evenly over it.

import { timed } from "../trace/events.js";
import { branches, depths, examinedNodes, inLine, parents } from "../trace/tree.js";
import { moment, short, shortened } from "./plain.js";
import { draftedToken, emittedToken, face, residualOf } from "./tokens.js";

/** @import { Round } from "../trace/types.js" */

/** A round that began `start` ms after the first one of its lane. @param {Round} round @param {number} start
 * @param {number | null} drafting the passes of its draft, where they are told */
export function roundView(round, start, drafting) {
  const { times } = round;
  const draftedAt = start + (times.draft ?? 0);
  const verifiedAt = draftedAt + (times.verify ?? 0);
  const decidedAt = verifiedAt + (times.decide ?? 0);
  const moments = { guessed: guessed(round, start, draftedAt, drafting), fallen: fallen(round, verifiedAt, decidedAt) };
  return {
    index: round.index,
    start: moment(start),
    drafted_at: moment(draftedAt),
    verified_at: moment(verifiedAt),
    decided_at: moment(decidedAt),
    end: moment(start + timed(round)),
    times: Object.fromEntries(Object.entries(times).map(([part, ms]) => [part, short(ms)])),
    drafted: drafted(round, moments),
    emitted: round.emitted.map(emittedToken),
    residual: residualOf(round.residual),
    target_cache: round.target_cache,
    draft_cache: round.draft_cache,
    target_forwards: round.target_forwards,
    draft_forwards: round.draft_forwards,
    asked: round.asked,
    fewer: round.fewer,
    choice: shortened(round.choice),
    shown: shown(round, moments, decidedAt),
  };
}

/** @typedef {{ guessed: number[], fallen: number[] }} Moments of each drafted token */

/** The drafted tokens. Those of a tree have their parents and moments, since not all of them stand in the text.
 * @param {Round} round @param {Moments} moments */
function drafted(round, { guessed, fallen }) {
  if (!branches(round)) return round.drafted.map((d) => draftedToken(d, null));
  const follows = parents(round.drafted);
  return round.drafted.map((d, i) => ({ ...draftedToken(d, follows[i]), at: guessed[i], decided: fallen[i] }));
}

/**
 * The spans of one round in reading order: the draft block, struck or kept, then the token that follows it. `drafted`
 * and `emitted` point into the round. A draft token appears `at` its share of the drafting time, waits for the target's
 * pass, and gets its role when it is `decided`. What replaces or follows the block comes when all is decided. Of a tree
 * the path that stays is text, and after it the tokens that were turned down where it ends.
 * @param {Round} round @param {Moments} moments @param {number} decidedAt
 */
function shown(round, { guessed, fallen }, decidedAt) {
  const { drafted, emitted } = round;
  let kept = 0;
  const block = inLine(round).map((i) => {
    const { token, verdict } = drafted[i];
    const place = verdict === "accepted" ? kept++ : null;
    const [text, kind] = face(token, place === null ? "" : emitted[place].piece);
    return { role: verdict, text, kind, drafted: i, emitted: place, at: guessed[i], decided: fallen[i] };
  });
  const at = moment(decidedAt);
  const after = emitted.flatMap(({ token, role, piece }, i) => {
    const [text, kind] = face(token, piece);
    return role === "accepted" ? [] : [{ role, text, kind, drafted: null, emitted: i, at, decided: at }];
  });
  return [...block, ...after];
}

/** When each token was drafted: one after the other, level by level of a tree, all at once where one pass drafted
 * several. @param {Round} round @param {number} start @param {number} draftedAt @param {number | null} drafting */
function guessed({ drafted }, start, draftedAt, drafting) {
  const deep = depths(drafted);
  const levels = drafting === 1 ? 1 : Math.max(0, ...deep);
  const moments = inside(start, draftedAt, levels);
  return deep.map((depth) => moment(moments[Math.min(depth, levels) - 1]));
}

/** When each verdict fell: of those examined one after the other in the order of the walk; the rest falls with the last
 * of them. @param {Round} round @param {number} verifiedAt @param {number} decidedAt */
function fallen({ drafted }, verifiedAt, decidedAt) {
  const order = examinedNodes(drafted);
  const moments = inside(verifiedAt, decidedAt, order.length);
  const last = moments[order.length - 1] ?? decidedAt;
  return drafted.map((_, i) => moment(moments[order.indexOf(i)] ?? last));
}

/** `count` moments spread evenly between two. @param {number} begin @param {number} end @param {number} count */
const inside = (begin, end, count) =>
  Array.from({ length: count }, (_, i) => begin + ((end - begin) * (i + 1)) / (count + 1));
