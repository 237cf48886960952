// One round on its lane's clock, and the spans that it puts into the text (specviz/picture/spans.py).

import { timed } from "../trace/events.js";
import { branches, inLine, parents } from "../trace/tree.js";
import { moment, short, shortened } from "./plain.js";
import { draftedToken, emittedToken, face, residualOf } from "./tokens.js";

/** @import { Round } from "../trace/types.js" */

/** A round that began `start` ms after the first one of its lane. @param {Round} round @param {number} start */
export function drawn(round, start) {
  const { times } = round;
  const draftedAt = start + (times.draft ?? 0);
  const verifiedAt = draftedAt + (times.verify ?? 0);
  const decidedAt = verifiedAt + (times.decide ?? 0);
  return {
    index: round.index,
    start: moment(start),
    drafted_at: moment(draftedAt),
    verified_at: moment(verifiedAt),
    decided_at: moment(decidedAt),
    end: moment(start + timed(round)),
    times: Object.fromEntries(Object.entries(times).map(([part, ms]) => [part, short(ms)])),
    drafted: drafted(round),
    emitted: round.emitted.map(emittedToken),
    residual: residualOf(round.residual),
    target_cache: round.target_cache,
    draft_cache: round.draft_cache,
    target_forwards: round.target_forwards,
    draft_forwards: round.draft_forwards,
    asked: round.asked,
    fewer: round.fewer,
    choice: shortened(round.choice),
    shown: shown(round, start, draftedAt, verifiedAt, decidedAt),
  };
}

/** The drafted tokens: of a tree those in the running text first, as a chain has them. @param {Round} round */
function drafted(round) {
  if (!branches(round)) return round.drafted.map((d) => draftedToken(d, null));
  const line = inLine(round);
  const order = [...line, ...round.drafted.map((_, i) => i).filter((i) => !line.includes(i))];
  const follows = parents(round.drafted);
  return order.map((i) => draftedToken(round.drafted[i], follows[i] < 0 ? -1 : order.indexOf(follows[i])));
}

/**
 * The spans of one round in reading order: the draft block, struck or kept, then the token that follows it.
 * @param {Round} round @param {number} start @param {number} draftedAt @param {number} verifiedAt
 * @param {number} decidedAt
 */
function shown(round, start, draftedAt, verifiedAt, decidedAt) {
  const { emitted } = round;
  const drafted = inLine(round).map((i) => round.drafted[i]);
  const examined = drafted.filter(({ verdict }) => verdict !== "unexamined").length;
  const ghosts = inside(start, draftedAt, drafted.length);
  const verdicts = inside(verifiedAt, decidedAt, examined);
  const block = drafted.map(({ token, verdict }, i) => {
    const kept = verdict === "accepted" ? i : null;
    const [text, kind] = face(token, kept === null ? "" : emitted[kept].piece);
    const decided = moment(examined ? verdicts[Math.min(i, examined - 1)] : decidedAt);
    return { role: verdict, text, kind, drafted: i, emitted: kept, at: moment(ghosts[i]), decided };
  });
  const at = moment(decidedAt);
  const after = emitted.flatMap(({ token, role, piece }, i) => {
    const [text, kind] = face(token, piece);
    return role === "accepted" ? [] : [{ role, text, kind, drafted: null, emitted: i, at, decided: at }];
  });
  return [...block, ...after];
}

/** `count` moments spread evenly between two. @param {number} begin @param {number} end @param {number} count */
const inside = (begin, end, count) =>
  Array.from({ length: count }, (_, i) => begin + ((end - begin) * (i + 1)) / (count + 1));
