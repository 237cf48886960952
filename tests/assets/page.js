// What the tests of modules need of a page: words, and a Node that is never there, so that nothing is one.

import { setVocabulary } from "../../assets/player/words.js";

globalThis.Node ??= class {};

setVocabulary({
  words: {
    none: "–",
    spaces: "{n} spaces",
    space: "a space",
    newline: "new line",
    tab: "tab",
    return: "carriage return",
    no_break: "no-break space",
  },
  roles: {},
});
