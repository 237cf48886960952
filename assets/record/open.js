// A record of another engine in a file of its own (specviz/picture/handout.py).

import { the } from "../shared/dom.js";
import { know } from "../shared/words.js";
import { recordPanel } from "./panel.js";

/** Draw the record that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => document.documentElement.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", theme);
  theme();
  const { record, ...known } = JSON.parse(the(document, "#sv-data").textContent || "");
  know(known);
  the(document, "#record").append(recordPanel(record, null));
}
