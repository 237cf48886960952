// Made from specviz/drafters.py by `python -m scripts.made_docs`: what opens each drafter, from the file beside this.

import { openDrafter as bigram } from "./bigram.js";
import { openDrafter as block } from "./block.js";
import { openDrafter as eagle } from "./eagle.js";
import { openDrafter as early_exit } from "./early_exit.js";
import { openDrafter as lookup } from "./lookup.js";
import { openDrafter as mtp } from "./mtp.js";
import { openDrafter as random } from "./random.js";

/** @import { DrafterFactory, HeadFactory } from "../types.js" */

/** Those without weights. @type {Record<string, DrafterFactory>} */
export const WITHOUT_WEIGHTS = { lookup, "early-exit": early_exit, random };

/** Those with weights. @type {Record<string, HeadFactory>} */
export const WITH_WEIGHTS = { bigram, mtp, eagle, block };
