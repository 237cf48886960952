// The door of Learn, the one file of it in the page's own script: all else comes when the tab is first opened.

import { loadBundle } from "../shared/bundle.js";
import { query } from "../shared/dom.js";
import { ROLES, TERMS, WORDS } from "../shared/words.js";

/** @import { DoorMount } from "./types.js" */

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
