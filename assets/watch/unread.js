// A prompt that the model has no words for, and reads byte by byte: what it writes then says little.

import { el } from "../shared/dom.js";
import { say } from "../shared/sentences.js";

/** @import { Picture } from "../shared/types.js" */

const MUCH = 1 / 3; // of the prompt's tokens

/** @param {Pick<Picture, "lanes">} picture */
export function bytesOf({ lanes }) {
  const prompt = ((lanes.speculative ?? lanes.vanilla)?.prompt ?? []).filter(({ kind }) => kind !== "special");
  const bytes = prompt.filter(({ kind }) => kind === "bytes").length;
  return bytes > MUCH * prompt.length ? { bytes, of: prompt.length } : null;
}

/** @param {Picture} picture */
export function unreadNote(picture) {
  const found = bytesOf(picture);
  return found && el("p.sv-unread", null, say("unread", { ...found, target: picture.header.target.name }));
}
