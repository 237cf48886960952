// Rows as a spreadsheet reads them: text stays text, also where it begins like a formula (specviz/picture/rounds.py).

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
