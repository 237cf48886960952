// What a chosen token is explained with: the picture of its round, the inspector, and the line under the lanes. It is
// sent with the first token that is chosen, as window.specvizInspection (specviz/page/watch/race.py).

import { makeRound } from "../round/picture.js";
import { drawCaption, drawInspector } from "./inspector.js";

export const inspection = { makeRound, drawCaption, drawInspector };
