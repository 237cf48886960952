// What a phone asks of its room, and the key of its seat, which this tab keeps and nothing else.

const SEAT = "specviz-seat";

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
export function seatHere() {
  try {
    const [where, seat] = JSON.parse(sessionStorage.getItem(SEAT) ?? "[]");
    return where === location.pathname ? String(seat) : "";
  } catch {
    return "";
  }
}

/** @param {string} seat */
export function keepSeat(seat) {
  try {
    sessionStorage.setItem(SEAT, JSON.stringify([location.pathname, seat]));
  } catch {
    // a tab that keeps nothing has its seat as long as it is open
  }
}
