// The line that shows the run of this page in another one: a frame of embed.html.

/** @import { Given, Run } from "./types.js" */

const HEIGHT = 720; // px, for a page that does not listen to the height that the figure tells

/**
 * What is to be pasted; null where the run is too long for a line.
 * @param {Given} given @param {Run} run @param {string} recorded its name, if it has one here
 */
export async function embedLine({ words, limits }, run, recorded) {
  const address = new URL("embed.html?figure=race", document.baseURI);
  if (recorded) address.searchParams.set("recorded", recorded);
  else address.hash = `trace=${written(await zipped(run.bytes))}`;
  if (address.href.length > limits.line) return null;
  const looks = `width="100%" height="${HEIGHT}" style="border: 0" loading="lazy"`;
  return `<iframe src="${address.href.replace(/&/g, "&amp;")}" title="${words.figure_title}" ${looks}></iframe>`;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function zipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes as a part of an address (base64url). @param {Uint8Array} bytes */
function written(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
