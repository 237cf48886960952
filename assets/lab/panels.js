// The panels of the Lab by their keys (specviz/page/lab/tab.py): one line each.

import { mistakes } from "./mistakes/panel.js";
import { people } from "./people/panel.js";

export { drawsPerSecond } from "./mistakes/speed.js";

/** @import { MakePanel } from "./types.js" */

/** @type {Record<string, MakePanel>} */
export const PANELS = { mistakes, people };
