// Where runs come from: recorded here, from a file, chosen or dropped, from another address of this site, from this visit,
// which the browser keeps as it keeps those of the app (specviz/page/keep/reader.py). All are traces, read strictly. And
// where they go: a trace, a table of rounds, a hand-out, a picture, the line that shows a figure in another page.

import { saveHandout, saveRounds, saveTimeline, saveTrace } from "../keep/late.js";
import { drop, history } from "../keep/visit.js";
import { el, query } from "../player/dom.js";
import { inAddress, packBytes, unpackBytes } from "../player/page.js";
import { asPacked, readPicture } from "../player/picture.js";
import { fillText } from "../player/words.js";
import { readTrace, TraceError } from "../trace/read.js";

/** @import { PackedRun } from "../keep/visit.js" */
/** @import { Run, SiteData } from "./types.js" */

/** A run that could not be had, in a sentence. */
export class RunError extends Error {}

/** @param {string} path @param {string} lost the sentence where it cannot be had */
async function fetchFile(path, lost) {
  const response = await fetch(path).catch(() => null);
  if (!response?.ok) throw new RunError(lost);
  return response;
}

/** The text of a file of this site. @param {string} path @param {string} lost */
export const text = async (path, lost) => (await fetchFile(path, lost)).text();

/** @param {string} name @param {SiteData} site */
export const recordedRun = (name, site) => runAt(`traces/${name}.jsonl.gz`, site);

/** A run by its address, which must be of this site. @param {string} path @param {SiteData} site */
export async function runAt(path, site) {
  const { words } = site;
  const address = URL.canParse(path, location.href) ? new URL(path, location.href) : null;
  if (address?.origin !== location.origin) throw new RunError(words.run_foreign);
  return openRun(await fetchFile(address.href, words.run_lost), site);
}

/** @param {Response | Blob} source @param {SiteData} site @returns {Promise<Run>} */
export async function openRun(source, site) {
  const { words, contract } = site;
  try {
    const bytes = await unzip(await readBounded(bodyOf(source), site), site);
    const trace = await readTrace(bytes, contract);
    const value = JSON.stringify(asPacked(trace));
    return { trace, picture: readPicture(value), bytes, value };
  } catch (error) {
    if (error instanceof RunError) throw error;
    const reason = error instanceof TraceError ? error.message : words.run_unreadable;
    throw new RunError(fillText(words.refused, { error: reason }));
  }
}

/** @param {Response | Blob} source */
function bodyOf(source) {
  const body = source instanceof Blob ? source.stream() : source.body;
  return /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body ?? new Blob([]).stream());
}

/** All bytes of a stream, at most as many as a trace may have. @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {SiteData} site */
async function readBounded(body, { words, contract }) {
  const parts = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > contract.limits.file) {
      await reader.cancel().catch(() => {});
      throw new RunError(fillText(words.run_large, { most: contract.limits.file / 2 ** 20 }));
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Some servers unpack a file on the way, most do not: its first bytes tell. @param {Uint8Array<ArrayBuffer>} bytes
 * @param {SiteData} site */
async function unzip(bytes, site) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return readBounded(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")), site);
}

/** @template Mount @param {(mount: Mount) => void} component @param {string} box a selector
 * @param {Record<string, unknown>} props all but its value
 * @param {Record<string, unknown>} more what it may ask or tell
 * @returns {(value: string) => void} gives it another value */
export function mountComponent(component, box, props = {}, more = {}) {
  /** @type {(() => void)[]} */
  const listeners = [];
  const own = { value: "", ...props };
  const mount = {
    element: query(document, box),
    props: own,
    watch: (/** @type {string} */ _, /** @type {() => void} */ act) => listeners.push(act),
    ...more,
  };
  component(/** @type {Mount} */ (mount));
  return (value) => {
    own.value = value;
    for (const act of listeners) act();
  };
}

/** @param {SiteData} site
 * @param {{ open: (file: File) => void, showStatus: import("./live.js").ShowStatus,
 *   currentRun: () => Run | null }} actions */
export function makeFiles(site, { open, showStatus, currentRun }) {
  const { words, known, drop: cue } = site;
  const input = el("input", { type: "file", hidden: "", "aria-label": words.open, accept: ".jsonl,.gz" });
  query(document, "#open").after(input);
  query(document, "#open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) open(file);
    input.value = ""; // the same file may be chosen again
  });
  mountComponent(drop, "#drop", { words: cue }, { dropped: () => showStatus("refused", { message: words.dropped }) });

  /** @type {Record<string, (run: Run) => void | Promise<void>>} */
  const savers = {
    save: ({ bytes }) => saveTrace(bytes),
    rounds: ({ trace }) => saveRounds(trace),
    async handout({ picture: { header }, trace }) {
      saveHandout(JSON.parse(await text("handout.json", words.lost)), known, header, asPacked(trace));
    },
    "save-picture": ({ picture }) => {
      saveTimeline(picture.lanes);
      showStatus("linked", { message: words.pictured });
    },
  };
  for (const [id, saveRun] of Object.entries(savers))
    query(document, `#${id}`).addEventListener("click", async () => {
      const run = currentRun();
      try {
        if (run) await saveRun(run);
      } catch (error) {
        showStatus("refused", { message: error instanceof Error ? error.message : words.lost });
      }
    });
}

/** @param {SiteData} site @param {(run: Run) => void} show */
export function makePast(site, show) {
  const handlers = {
    /** Read as strictly as a file from anybody. @param {PackedRun} packed */
    async again({ data }) {
      const run = await unpackBytes(data, site.contract.limits.file)
        .then((bytes) => openRun(new Blob([bytes]), site))
        .catch(() => null);
      if (run) show(run);
    },
  };
  const paint = mountComponent(history, "#history", { words: site.history, value: "" }, handlers);
  return {
    /** @param {Run} run @param {string} source run, file or recorded */
    async add({ picture: { header }, bytes }, source) {
      const id = `${header.created} ${bytes.length} ${header.prompt.length}`;
      paint(JSON.stringify({ id, source, data: await packBytes(bytes) }));
    },
  };
}

const HEIGHT = 720; // px, for a page that does not listen to the height that the figure tells

/** What is to be pasted to show a run; null where it is too long for a line.
 * @param {SiteData} site @param {Run} run @param {string} recorded its name, if it has one here */
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
