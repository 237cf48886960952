// The tab Learn on a page for tests: mounted as gradio mounts it, with chapters drawn from the recorded runs.

import { all, click, button as named, one, open, text, visitor } from "../dom.js";
import { fixtures } from "../fixtures.js";

const { learn } = await import("../../../assets/learn/tab.js");
const { setVocabulary } = await import("../../../assets/player/words.js");
const { lesson, known } = fixtures({}, { lesson: true });
setVocabulary(known);

export const { chapters: CHAPTERS, page: PAGE } = lesson.words;
export const EXCERPTS = lesson.excerpts;
export const TERMS = known.terms;
export const LAST = CHAPTERS.length;
export const PLACE = Object.fromEntries(CHAPTERS.map(({ key }, i) => [key, i + 1]));

/** What passes over blocks take, as a server that measures them says it. */
export const MEASURED = {
  target: "story-target",
  device: "cpu",
  threads: 1,
  context: 128,
  parameters: 10_000_000,
  bytes: 40_000_000,
  ms: { 1: 4, 2: 4.2, 4: 5, 8: 8, 16: 16 },
};

/** A chapter, opened by its address; `anew`: by somebody who was never here. */
export async function chapter(
  n,
  { still = true, measures = true, anew = true, excerpts = EXCERPTS, measured = MEASURED, room = {} } = {},
) {
  visitor.still = still;
  if (anew) localStorage.clear();
  if (anew) sessionStorage.clear();
  localStorage.setItem("specviz.teach", "true");
  history.replaceState(null, "", `/?chapter=${n}`);
  document.body.removeAttribute("data-lrn-projector");
  open(`<div id="masthead"></div><button role="tab" id="watch-button" aria-selected="false">Watch</button>
<button role="tab" id="learn-tab-button" aria-selected="true">Learn</button>
<div id="learn"><section class="lrn"></section></div>`);
  const props = { value: "", lesson: lesson.words, measures };
  const listeners = [];
  const measure = () => {
    props.value = JSON.stringify(measured);
    for (const act of listeners) act();
  };
  const server = {
    recorded_rounds: async () => JSON.stringify(excerpts),
    teachers_pack: async () => "",
    students_sheet: async () => "",
    ...room,
  };
  const mount = { element: one("#learn"), props, server, measure, watch: (_, act) => listeners.push(act), tryIt() {} };
  learn(mount);
  await new Promise((done) => setTimeout(done)); // the server answers
  return one("#learn h2");
}

export const title = () => text("#learn h2");
export const caption = () => text(".lrn-told");
export const why = () => text(".lrn-why");
export const button = (name) => named(name, one("#learn"));
export const time = () => one(".lrn-player input");

/** The slider of this name. */
export const slider = (name, within = document) =>
  one("input[type=range]", all("label", within).find((each) => text(each).startsWith(name)) ?? document.createElement("p"));

/** The page is turned to chapter n, from 1, by the bar. */
export const turn = (n) => click(all(".lrn-chapters button")[n - 1]);
