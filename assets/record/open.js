// A record of another engine in a file of its own (specviz/picture/frame.py).

import { followTheme, query } from "../player/dom.js";
import { setVocabulary } from "../player/words.js";
import { recordPanel } from "./panel.js";

/** Draw the record that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  followTheme();
  const { record, ...known } = JSON.parse(query(document, "#sv-data").textContent || "");
  setVocabulary(known);
  query(document, "#record").append(recordPanel(record, null));
}
