// Made from specviz/drafters.py by `python -m scripts.made_docs`: what opens each drafter, from the file beside this.

import { open as bigram } from "./bigram.js";
import { open as block } from "./block.js";
import { open as eagle } from "./eagle.js";
import { open as early_exit } from "./early_exit.js";
import { open as lookup } from "./lookup.js";
import { open as mtp } from "./mtp.js";
import { open as random } from "./random.js";

/** @import { Open, OpenHead } from "../types.js" */

/** Those without weights. @type {Record<string, Open>} */
export const ALONE = { lookup, "early-exit": early_exit, random };

/** Those with weights. @type {Record<string, OpenHead>} */
export const HEADS = { bigram, mtp, eagle, block };
