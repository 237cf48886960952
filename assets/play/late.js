// What the page is sent when somebody first drafts in the story, as window.specvizPlay (specviz/page/classroom/play.py).

export { makeGame } from "./game.js";
