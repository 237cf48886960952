// The settings of the run that Watch shows, as a panel's fields hold them.

import { currentRun } from "../shared/current_run.js";
import { fillText } from "../shared/sentences.js";

/** @import { PanelKey } from "../shared/keys.js" */
/** @import { Field, makeForm } from "./form.js" */
/** @import { PanelContext, Settings, Words } from "./types.js" */

const KINDS = { heads: "mtp", target: "oracle", layers: "early-exit", table: "bigram" };
const CHAIN_SHAPE = { tree: "off", children: "3-2-1-1", nodes: "16" };
const DEFAULTS = { prompt: "Once upon a time", drafter: "small", K: "4", temperature: "0.8", verifier: "rejection" };

/** @returns {Settings} */
export function watchSettings() {
  const header = currentRun.picture?.header;
  if (!header?.draft) return { ...DEFAULTS, ...CHAIN_SHAPE, drafting: "sample", seed: "0" };
  const { K, temperature, verifier, drafting, seed, tree, children, nodes } = header.config;
  const shape = tree ? { tree, children: String(children), nodes: String(nodes) } : CHAIN_SHAPE;
  const texts = { K: String(K), temperature: String(temperature), seed: String(seed) };
  return { prompt: header.prompt, drafter: drafterOf(header.draft), ...shape, ...texts, verifier, drafting };
}

/** The key of a drafter by the kind that a run says. @param {{ kind: string, name: string }} draft */
function drafterOf({ kind, name }) {
  if (kind === "model") return name.endsWith("-large") ? "large" : "small";
  return KINDS[/** @type {keyof typeof KINDS} */ (kind)] ?? kind;
}

/** The words whose names begin alike, by the rest of the name, but for those `without`. @param {Words} words
 * @param {string} prefix @param {string[]} [without] */
export function wordsByPrefix(words, prefix, without = []) {
  const matches = Object.entries(words).filter(([name]) => name.startsWith(prefix) && !without.includes(name));
  return Object.fromEntries(matches.map(([name, word]) => [name.slice(prefix.length), word]));
}

/** The fields of a tree, where one can be drafted. @param {PanelContext} context @param {Settings} start
 * @param {string} [prefix] @returns {Field[]} */
export function treeFields({ words, options }, start, prefix = "") {
  if (!("tree" in options(""))) return [];
  return [
    { name: `${prefix}tree`, word: words.tree, value: start.tree, options: options("tree_") },
    { name: `${prefix}children`, word: words.children, value: start.children },
    { name: `${prefix}nodes`, word: words.nodes, value: start.nodes },
  ];
}

/** Of a tree's fields only those that its kind asks for. @param {ReturnType<typeof makeForm>} form
 * @param {Settings} values @param {string} [prefix] */
export function showTree(form, values, prefix = "") {
  form.show((name) => name === `${prefix}children`, values[`${prefix}tree`] === "static");
  form.show((name) => name === `${prefix}nodes`, values[`${prefix}tree`] === "dynamic");
}

/** What a label adds for a tree; nothing for a chain.
 * @param {{ tree?: string, children?: string, nodes?: number }} setting @param {Words} words */
export const shapeWord = ({ tree = "off", children = "", nodes = 0 }, words) =>
  fillText(words[/** @type {PanelKey} */ (`shape_${tree}`)] ?? "", { children, nodes });

/** @param {string} drafter @param {Words} words */
export const drafterWord = (drafter, words) => words[/** @type {PanelKey} */ (`drafter_${drafter}`)] ?? drafter;
