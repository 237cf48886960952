// The line that shows the run of this page in another one: a frame of embed.html.

import { packed } from "./packed.js";

/** @import { Given, Run } from "./types.js" */

const HEIGHT = 720; // px, for a page that does not listen to the height that the figure tells

/**
 * What is to be pasted; null where the run is too long for a line.
 * @param {Given} given @param {Run} run @param {string} recorded its name, if it has one here
 */
export async function embedLine({ words, limits }, run, recorded) {
  const address = new URL("embed.html?figure=race", document.baseURI);
  if (recorded) address.searchParams.set("recorded", recorded);
  else address.hash = `trace=${inAddress(await packed(run.bytes, "gzip"))}`;
  if (address.href.length > limits.line) return null;
  const looks = `width="100%" height="${HEIGHT}" style="border: 0" loading="lazy"`;
  return `<iframe src="${address.href.replace(/&/g, "&amp;")}" title="${words.figure_title}" ${looks}></iframe>`;
}

/** Base64 as a part of an address. @param {string} text */
const inAddress = (text) => text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
