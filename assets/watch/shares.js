// Which tokens a chart of p and q, or of the residual, has rows for, and what the others come to together.

/** @import { Entry, Position, Residual, Token } from "../shared/types.js" */

const MOST = 8;
const MOST_OF_RESIDUAL = 7;

/**
 * @typedef {{ token: Token, p?: number | null, q?: number | null }} Subject the token in question, with its p and q if
 * known apart
 */

/** @param {{ p: number, q?: number | null, s?: number | null }[]} entries @param {"p" | "q" | "s"} key */
export function total(entries, key) {
  return entries.reduce((sum, entry) => sum + (entry[key] || 0), 0);
}

/**
 * The largest of p and q, and of the draft's own softmax s where its largest was drafted; and the subject even where it
 * is not among them. Of the rest `q` is null where there is no q, and `s` is there where there is one.
 * @param {Position} position @param {Subject} subject
 * @returns {{ rows: Entry[], rest: { p: number, q: number | null, s?: number } }}
 */
export function largest(position, subject) {
  const both = position.beta !== null;
  const softmax = position.own;
  const entries = position.entries.map((entry, i) => (softmax ? { ...entry, s: softmax.entries[i] } : entry));
  const size = (/** @type {Entry} */ { p, q, s }) => Math.max(p, q || 0, s || 0);
  const rows = [...entries].sort((a, b) => size(b) - size(a)).slice(0, MOST);
  const known = entries.find(({ token }) => token.id === subject.token.id);
  const { p, q } = subject;
  const own = known || (p === undefined || p === null ? null : { token: subject.token, p, q: q ?? null });
  if (own && !rows.includes(own)) rows.push(own);
  const apart = known || !own ? { p: 0, q: 0 } : own; // it is in the sum of the rest, and leaves it for its row
  const hidden = entries.filter((entry) => !rows.includes(entry));
  return {
    rows,
    rest: {
      ...(softmax ? { s: softmax.rest + total(hidden, "s") } : {}),
      p: Math.max(0, position.p_rest - apart.p + total(hidden, "p")),
      q: both ? Math.max(0, (position.q_rest || 0) - (apart.q || 0) + total(hidden, "q")) : null,
    },
  };
}

/**
 * The largest of the residual, and the token that was drawn from it if it is known there.
 * @param {Residual} residual @param {Token} drawn
 */
export function largestOfResidual(residual, drawn) {
  const rows = residual.entries.slice(0, MOST_OF_RESIDUAL);
  const found = residual.entries.find(({ token }) => token.id === drawn.id) || null;
  if (found && !rows.includes(found)) rows.push(found);
  const hidden = residual.entries.filter((entry) => !rows.includes(entry));
  return { rows, found, rest: residual.rest + total(hidden, "p") };
}
