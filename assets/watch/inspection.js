// What a chosen token is explained with: the picture of its round, the inspector, and the line under the lanes; and the
// game of its verdicts. It is sent with the first token that is chosen, or when the game begins, as
// window.specvizInspection (specviz/page/watch/race.py).

import { makeRound } from "../round/picture.js";
import { drawCaption, drawInspector } from "./inspector.js";
import { makePredict } from "./predict.js";

export const inspection = { makeRound, drawCaption, drawInspector, makePredict };
