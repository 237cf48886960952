// Numbers as a screen can have them: few digits, nothing infinite (specviz/picture/replay.py).

/** Six significant digits of the twelve that are sent. @param {number | null | undefined} value */
export const short = (value) =>
  value !== null && value !== undefined && Number.isFinite(value)
    ? Number(Number(value.toPrecision(12)).toPrecision(6))
    : null;

/** @param {number | null} part @param {number | null} whole */
export const ratio = (part, whole) => (part !== null && whole ? short(part / whole) : null);

/** A moment on a lane's clock, to a tenth of a microsecond. @param {number} ms */
export const moment = (ms) => (Number.isFinite(ms) ? Number(ms.toFixed(4)) : 0);

/** Every number of a value, in few digits. @param {any} value @returns {any} */
export function shortened(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value : short(value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}

/** At most so many characters of a text. @param {string} text @param {number} longest */
export function truncate(text, longest) {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const begin = characters.slice(0, longest - 1).join("");
  return `${begin.trimEnd()}…`;
}
