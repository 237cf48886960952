// The race as a component of a page that tells newcomers the story of the run that it opens with, and lets them draft.

import { loadBundle } from "../shared/late.js";
import { currentRun } from "../shared/shown.js";
import { race as mount } from "../watch/mount.js";
import { storyBeside } from "./story.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { MakeGame, Play } from "../play/types.js" */
/** @import { Inspection } from "../watch/types.js" */
/** @typedef {"inspection" | "rounds" | "game" | "begin" | "score"} Asked */
/** @typedef {Record<Asked, (sent: object | string) => Promise<string>>} Server */

/**
 * @param {Mount & { server?: Partial<Server> }} given @param {Parameters<typeof mount>[1]} [makeTimeline]
 * @param {Play | null} [play] on a page without a server
 * @param {Parameters<typeof mount>[3]} [inspection] on a page that holds it
 */
export function race(given, makeTimeline, play = playOf(given.server), inspection = () => sentBy(given.server)) {
  currentRun.rounds = given.server?.rounds;
  mount(given, makeTimeline, storyBeside(play), inspection);
}

/** @param {Partial<Server>} [server] of gradio @returns {Promise<Inspection>} */
async function sentBy(server) {
  const sent = JSON.parse((await server?.inspection?.("")) ?? "");
  return loadBundle("specvizInspection", sent).inspection;
}

/** @param {Partial<Server>} [server] of gradio @returns {Play | null} */
function playOf({ game, begin, score } = {}) {
  if (!game || !begin || !score) return null;
  return async () => {
    const { words, ...sent } = JSON.parse(await game(""));
    const own = /** @type {{ makeGame: MakeGame }} */ (loadBundle("specvizPlay", sent));
    return own.makeGame(words, { begin, score });
  };
}
