// Rows as a spreadsheet reads them. Text came from a model or from a file that anybody sent, so a cell that a
// spreadsheet would take for a formula gets an apostrophe in front.

// at the beginning of a cell; and after what other spreadsheets than ours take for the end of one
const OPENS = /^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?= *[=+\-@＝＋－＠])/g;

/** @param {(string | number | null)[][]} rows */
export const csv = (rows) => rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** @param {string | number | null} value */
function cell(value) {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = value.replace(OPENS, "'");
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
