// The doors of Learn and of the Lab, the place in Watch of a record of another engine, the files of a run: all else of them
// comes when it is first asked for.

import { query, whileHere, within } from "../player/dom.js";
import { currentRun, loadBundle } from "../player/page.js";
import { ROLES, TERMS, WORDS } from "../player/words.js";

/** @import { FrameMount, Lab, PanelMount } from "../lab/types.js" */
/** @import { DoorMount } from "../learn/types.js" */
/** @import { RecordMount, RecordPlace } from "../record/types.js" */

/** @param {DoorMount} mount */
export async function learn(mount) {
  const { element, props, server } = mount;
  const root = query(element, ".lrn");
  root.textContent = props.opening;
  try {
    const { lesson, ...bundle } = JSON.parse(await server.everything(""));
    const late = loadBundle("specvizLearn", bundle);
    late.setVocabulary({ words: WORDS, roles: ROLES, terms: TERMS });
    const lateProps = {
      lesson,
      measures: props.measures,
      get value() {
        return props.value;
      },
    };
    await (props.alone ? late.lesson : late.learn)({ ...mount, props: lateProps });
  } catch (error) {
    console.warn(error);
    root.textContent = props.lost;
  }
}

/** @type {PanelMount[]} panels that were mounted before there was anything to draw them with */
const earlyMounts = [];
/** @type {Lab | null} */
let loadedLab = null;

/** @param {FrameMount} mount */
export async function lab(mount) {
  const root = /** @type {HTMLElement} */ (mount.element.querySelector(".lab"));
  root.textContent = mount.props.opening;
  try {
    const data = JSON.parse(await mount.server.everything(""));
    loadedLab = /** @type {Lab} */ (loadBundle("specvizLab", data));
    loadedLab.mountLab(root, data);
  } catch (error) {
    console.warn(error);
    root.textContent = mount.props.lost;
    return;
  }
  for (const mount of earlyMounts.splice(0)) loadedLab.addPanelMount(mount);
}

/** @param {PanelMount} mount */
export function labPanel(mount) {
  if (loadedLab) loadedLab.addPanelMount(mount);
  else earlyMounts.push(mount);
}

/** @param {RecordMount} mount */
export function record(mount) {
  const { element, props, watch, server } = mount;
  let place = /** @type {RecordPlace | null} */ (null);
  async function load() {
    if (place) return place;
    const { words, ...bundle } = JSON.parse(await server.everything(""));
    Object.assign(WORDS, words);
    place ??= /** @type {RecordPlace} */ (loadBundle("specvizRecord", bundle).place(mount));
    return place;
  }
  const paint = async () => {
    if (place || props.value) (await load()).paint();
  };
  watch("value", paint);
  whileHere(element, document, "click", async (event) => {
    if (within(event, "#counts")) (await load()).openForm();
  });
  paint();
}

/** @typedef {"png" | "csv"} Kind its timeline as a picture, its rounds as a table */

/** What is returned is what the status line says.
 * @param {Kind} kind @param {string} done it is saved @param {string} none there is no run to save
 * @param {string} lost the script does not come */
export async function saveRun(kind, done, none, lost) {
  const { picture, files } = currentRun;
  if (!picture) return none;
  try {
    loadBundle("specvizFiles", JSON.parse((await files?.("")) ?? "")).saveShownRun(kind);
    return done;
  } catch (error) {
    console.warn(error);
    return lost;
  }
}
