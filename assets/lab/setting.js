// The settings of the run that Watch shows, as a panel's fields hold them.

/** @import { Picture } from "../shared/types.js" */
/** @import { Settings } from "./types.js" */

const KINDS = { heads: "mtp", target: "oracle", layers: "early-exit", table: "bigram" };
const FIRST = { prompt: "Once upon a time", drafter: "small", K: "4", temperature: "0.8", verifier: "rejection" };

/** @param {Picture | null} picture @returns {Settings} */
export function shownSetting(picture) {
  const header = picture?.header;
  if (!header?.draft) return { ...FIRST, drafting: "sample", seed: "0" };
  const { K, temperature, verifier, drafting, seed } = header.config;
  const asked = { prompt: header.prompt, drafter: drafterOf(header.draft) };
  return { ...asked, K: String(K), temperature: String(temperature), verifier, drafting, seed: String(seed) };
}

/** The key of a drafter by the kind that a run says. @param {{ kind: string, name: string }} draft */
export function drafterOf({ kind, name }) {
  if (kind === "model") return name.endsWith("-large") ? "large" : "small";
  return KINDS[/** @type {keyof typeof KINDS} */ (kind)] ?? kind;
}

/**
 * The words whose names begin alike, by the rest of the name.
 * @param {Record<string, string>} words
 * @param {string} prefix
 */
export function named(words, prefix) {
  const found = Object.entries(words).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, word]) => [name.slice(prefix.length), word]));
}

/** @param {string} drafter @param {Record<string, string>} words */
export const drafterWord = (drafter, words) => words[`drafter_${drafter}`] ?? drafter;
