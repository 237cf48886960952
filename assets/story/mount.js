// The race as a component of a page that tells newcomers the story of the run that it opens with, and lets them draft.

import { loadBundle } from "../shared/late.js";
import { race as mount } from "../watch/mount.js";
import { storyBeside } from "./story.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { MakeGame, Play } from "../play/types.js" */
/** @typedef {Record<"game" | "begin" | "score", (sent: object | string) => Promise<string>>} Server */

/**
 * @param {Mount & { server?: Partial<Server> }} given @param {Parameters<typeof mount>[1]} [makeTimeline]
 * @param {Play | null} [play] on a page without a server
 */
export const race = (given, makeTimeline, play = playOf(given.server)) => mount(given, makeTimeline, storyBeside(play));

/** @param {Partial<Server>} [server] of gradio @returns {Play | null} */
function playOf({ game, begin, score } = {}) {
  if (!game || !begin || !score) return null;
  return async () => {
    const { words, ...sent } = JSON.parse(await game(""));
    const own = /** @type {{ makeGame: MakeGame }} */ (loadBundle("specvizPlay", sent));
    return own.makeGame(words, { begin, score });
  };
}
