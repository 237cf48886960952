// The panels of the Lab by their keys (specviz/page/lab/tab.py): one line each.

import { load } from "./load/panel.js";
import { luck } from "./luck/panel.js";
import { mistakes } from "./mistakes/panel.js";
import { pair } from "./pair/panel.js";
import { people } from "./people/panel.js";
import { sweep } from "./sweep/panel.js";

export { drawsPerSecond } from "./mistakes/speed.js";

/** @import { MakePanel } from "./types.js" */

/** @type {Record<string, MakePanel>} */
export const PANELS = { mistakes, luck, sweep, load, pair, people };
