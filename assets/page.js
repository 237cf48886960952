// The page's one script, as window.specviz: what each component of the page is mounted with (specviz/page/look.py).

export { drop } from "./keep/drop.js";
export { history } from "./keep/history.js";
export {
  accordionUpdate,
  copyLink,
  decodeHere,
  keepSettings,
  keepTyped,
  keepUnfolded,
  linkStatus,
} from "./keep/link.js";
export { saveRun } from "./keep/save_run.js";
export { lab, labPanel } from "./lab/door.js";
export { learn } from "./learn/door.js";
export { record } from "./record/mount.js";
export { listenToMenus } from "./shared/menu.js";
export { openTab } from "./shared/tabs.js";
export { setVocabulary } from "./shared/words.js";
export { playExample, status } from "./status.js";
export { race } from "./story/story.js";
export { setRunning, stopUpdate } from "./watch/mount.js";
