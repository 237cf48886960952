// The line that shows a figure of this page in another one: a frame of embed.html.

import { inAddress, packBytes } from "../shared/packing.js";

/** @import { SiteData, Run } from "./types.js" */

const HEIGHT = 720; // px, for a page that does not listen to the height that the figure tells

/**
 * What is to be pasted to show a run; null where it is too long for a line.
 * @param {SiteData} site @param {Run} run @param {string} recorded its name, if it has one here
 */
export async function embedLine({ words, limits }, run, recorded) {
  const address = new URL("embed.html?figure=race", document.baseURI);
  if (recorded) address.searchParams.set("recorded", recorded);
  else address.hash = `trace=${inAddress(await packBytes(run.bytes, "gzip"))}`;
  return address.href.length > limits.line ? null : frame(address, words.figure_title);
}

/** What is to be pasted to show the panel of the Lab that the address has, with its settings. @param {SiteData} site */
export function panelLine({ words }) {
  const address = new URL("embed.html?figure=panel", document.baseURI);
  for (const [name, value] of new URLSearchParams(location.search))
    if (/^lab(_|$)/.test(name)) address.searchParams.set(name, value);
  return frame(address, words.panel_title);
}

/** @param {URL} address @param {string} title */
function frame({ href }, title) {
  const looks = `width="100%" height="${HEIGHT}" style="border: 0" loading="lazy"`;
  return `<iframe src="${href.replace(/&/g, "&amp;")}" title="${title}" ${looks}></iframe>`;
}
