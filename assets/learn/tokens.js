// Tokens in a picture: their text, their sign and, unseen, the word for their role.

import { el, query, setText } from "../shared/dom.js";
import { boxText } from "../shared/tokens.js";
import { ROLES } from "../shared/words.js";

/** @import { Child, Role } from "../shared/types.js" */
/** @import { TextToken } from "./types.js" */

/** @param {string} text @param {Role | "prompt" | ""} role "" is: not there yet */
export function tokenBox(text, role) {
  const node = el("span.sv-token.lrn-token", null, el("bdi", null, boxText(text)), el("span.sv-unseen"));
  setRole(node, role);
  return node;
}

/** @param {HTMLElement} node @param {Role | "prompt" | ""} role */
export function setRole(node, role) {
  if (node.dataset.role === role) return;
  node.dataset.role = role;
  node.dataset.glyph = role && role !== "prompt" && role !== "plain" ? ROLES[role].glyph : "";
  setText(query(node, ".sv-unseen"), role && role !== "prompt" ? `, ${ROLES[role].word} ` : " ");
}

/**
 * The text before a round, without what stood there and was thrown away.
 * @param {TextToken[]} before @param {...Child} more
 */
export function flow(before, ...more) {
  const boxes = before.map(({ text, role }) => tokenBox(text, role === "prompt" ? "prompt" : "plain"));
  return el("div.lrn-flow.sv-flow", null, boxes, more);
}
