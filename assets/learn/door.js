// The door of Learn, the one file of it in the page's own script: all else comes when the tab is first opened.

import { query } from "../shared/dom.js";
import { loadBundle } from "../shared/late.js";
import { ROLES, TERMS, WORDS } from "../shared/words.js";

/** @import { DoorMount } from "./types.js" */

/** @param {DoorMount} mount */
export async function learn(mount) {
  const { element, props, server } = mount;
  const root = query(element, ".lrn");
  root.textContent = props.opening;
  try {
    const { lesson, ...sent } = JSON.parse(await server.everything(""));
    const own = loadBundle("specvizLearn", sent);
    own.setVocabulary({ words: WORDS, roles: ROLES, terms: TERMS });
    const given = {
      lesson,
      measures: props.measures,
      get value() {
        return props.value;
      },
    };
    own.learn({ ...mount, props: given });
  } catch (error) {
    console.warn(error);
    root.textContent = props.lost;
  }
}
