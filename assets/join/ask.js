// What a phone asks of its room, and the key of its seat, which this tab keeps and nothing else.

import { readTabStored, writeTabStored } from "../shared/store.js";

/** @param {string} what @param {object} sent @returns {Promise<any>} */
export async function ask(what, sent) {
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch(`${location.pathname}/${what}`, { method: "POST", headers, body: JSON.stringify(sent) });
    return await answer.json();
  } catch {
    return { lost: true };
  }
}

/** The seat that this tab has in this room. */
export const seatHere = () => String(readTabStored("seat") ?? "");

/** @param {string} seat */
export const keepSeat = (seat) => writeTabStored("seat", seat);
