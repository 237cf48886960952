// The page's one script, as window.specviz: what each component of the page is mounted with (specviz/page/look.py).

export {
  accordionUpdate,
  copyLink,
  decodeHere,
  drop,
  history,
  keepSettings,
  keepTyped,
  keepUnfolded,
  linkStatus,
  sliderUpdate,
} from "./keep/visit.js";
export { lab, labPanel, learn, playExample, race, record, saveRun, setRunning, status, stopUpdate } from "./player/mount.js";
export { listenToMenus, openTab } from "./player/page.js";
export { setVocabulary } from "./player/words.js";
