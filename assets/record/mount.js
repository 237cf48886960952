// The place in Watch of a record of another engine. What draws it is sent when one is first opened, or asked for.

import { loadBundle } from "../shared/bundle.js";
import { whileHere, within } from "../shared/dom.js";
import { WORDS } from "../shared/words.js";

/** @import { RecordMount, RecordPlace } from "./types.js" */

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
