// The words around every panel (specviz/page/lab/words.py), known once before anything is drawn.

/** @type {Record<string, string>} */
export const PAGE = {};
