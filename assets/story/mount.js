// The race as a component of a page that tells newcomers the story of the run that it opens with.

import { race as mount } from "../watch/mount.js";
import { endStory, offerStory, openWithStory } from "./story.js";

/** @type {(...given: Parameters<typeof mount>) => void} */
export const race = (given, makeTimeline) =>
  mount(given, makeTimeline, { opened: openWithStory, drawn: offerStory, asked: endStory });
