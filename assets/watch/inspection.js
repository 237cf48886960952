// What a chosen token is explained with: the picture of its round, the inspector, the line under the lanes; the game of
// its verdicts; and a plot of acceptance. It is sent with the first of these that is asked for, as
// window.specvizInspection (specviz/page/watch/race.py).

import { plotAcceptance } from "../plot/acceptance.js";
import { makeRound } from "../round/picture.js";
import { drawCaption, drawInspector } from "./inspector.js";
import { makePredict } from "./predict.js";

export const inspection = { makeRound, drawCaption, drawInspector, makePredict, plotAcceptance };
