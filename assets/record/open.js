// A record of another engine in a file of its own (specviz/picture/frame.py).

import { query } from "../shared/dom.js";
import { followTheme } from "../shared/theme.js";
import { setVocabulary } from "../shared/words.js";
import { recordPanel } from "./panel.js";

/** Draw the record that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  followTheme();
  const { record, ...known } = JSON.parse(query(document, "#sv-data").textContent || "");
  setVocabulary(known);
  query(document, "#record").append(recordPanel(record, null));
}
