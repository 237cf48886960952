// The page's one script, as window.specviz: what each component of the page is mounted with (specviz/page/look.py).

export { drop, history } from "./keep/history.js";
export {
  accordionUpdate,
  copyLink,
  decodeHere,
  keepSettings,
  keepTyped,
  keepUnfolded,
  linkStatus,
} from "./keep/link.js";
export { lab, labPanel, learn, record, saveRun, setRunning, stopUpdate } from "./player/mount.js";
export { listenToMenus, openTab } from "./player/page.js";
export { setVocabulary } from "./player/words.js";
export { playExample, status } from "./status.js";
export { race } from "./story/story.js";
