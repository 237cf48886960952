// What the page is sent when the first record is opened, as window.specvizRecord (specviz/page/watch/record.py).

export { setVocabulary } from "../shared/words.js";
export { recordPanel } from "./panel.js";
