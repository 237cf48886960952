// Sent to the page when somebody first drafts in the story, as window.specvizPlay (specviz/page/classroom/play.py).

export { makeGame } from "./game.js";
