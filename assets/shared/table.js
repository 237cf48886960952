// A table: the heads of its columns, and lines that begin with a head of their own.

import { el } from "./dom.js";

/** @import { Child } from "./types.js" */

/**
 * @param {string} look its classes, each after a dot
 * @param {Child[] | null} heads null among them is: a column without one @param {Child} lines @param {Child} [caption]
 */
export function table(look, heads, lines, caption) {
  const top = heads?.map((head) => (head === null ? el("td") : cell("th", { scope: "col" }, head)));
  return el(`table${look}`, null, caption, top && el("thead", null, el("tr", null, top)), el("tbody", null, lines));
}

/**
 * One of words: on a phone, where it has no room for columns, each cell says its head.
 * @param {string} look @param {(string | null)[]} heads @param {HTMLTableRowElement[]} lines
 */
export function wordTable(look, heads, lines) {
  for (const { cells } of lines)
    for (const [i, head] of heads.entries()) if (head && cells[i].tagName === "TD") cells[i].dataset.head = head;
  return table(`.sv-words${look}`, heads, lines);
}

/** @param {Child} head @param {Child[]} cells @param {Record<string, unknown> | null} [attributes] */
export function line(head, cells, attributes = null) {
  return el("tr", attributes, cell("th", { scope: "row" }, head), ...cells.map((value) => cell("td", null, value)));
}

/** What is a cell already stays. @param {"th" | "td"} name @param {object | null} attributes @param {Child} value */
function cell(name, attributes, value) {
  return value instanceof Node && /^T[DH]$/.test(value.nodeName) ? value : el(name, { ...attributes }, value);
}
