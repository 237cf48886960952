// A record of another engine in Watch: it goes when something is run or closed. And the form for an engine whose files are not
// read, five numbers, typed, or pasted as one line of JSON: they go to the server as a file does, which checks them
// (specviz/trace/records/read.py).

import { button, el, setText, whileHere } from "../player/dom.js";
import { upload } from "../player/page.js";
import { plain, WORDS, wordOf } from "../player/words.js";
import { recordPanel } from "./panel.js";

/** @import { RecordMount } from "./types.js" */

const NUMBERS = ["steps", "drafted", "accepted", "K"];
const POSITIONS = "accepted_by_position";

/** @param {(json: string) => void} send @param {() => void} close */
function countsForm(send, close) {
  const numbers = NUMBERS.map((name) => /** @type {const} */ ([name, input({ inputmode: "numeric" })]));
  const positions = input({ class: "sv-input sv-counts-positions" });
  const line = input({ class: "sv-input sv-counts-line" });
  const problem = el("p", { role: "alert" });

  function fill() {
    const counts = objectOf(line.value);
    setText(problem, line.value.trim() && !counts ? WORDS.record_counts_bad : "");
    if (!counts) return;
    for (const [name, field] of numbers) field.value = String(counts[name] ?? "");
    const places = counts[POSITIONS];
    positions.value = Array.isArray(places) ? places.join(", ") : String(places ?? "");
  }
  line.addEventListener("input", fill);

  const values = () => {
    const places = positions.value.split(/[^\w.-]+/).filter(Boolean);
    return Object.fromEntries([
      ...numbers.map(([name, field]) => [name, numberOf(field.value)]),
      [POSITIONS, places.length ? places.map(numberOf) : null],
    ]);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    send(JSON.stringify(values()));
  };
  const fields = [
    ...numbers.map(([name, field]) => labelled(`record_${name}`, field)),
    labelled("record_counts_positions", positions),
  ];
  const form = el(
    "form",
    null,
    el("div.sv-fields.sv-flow", null, fields),
    labelled("record_counts_line", line),
    problem,
    el("p.sv-note", null, el("button.sv-button", { type: "submit" }, WORDS.record_counts_show)),
  );
  form.addEventListener("submit", submit);
  return el(
    "section.sv-record",
    { "aria-label": plain("record_counts_title") },
    el("div.sv-record-head", null, el("h3", null, WORDS.record_counts_title), button(WORDS.record_close, close)),
    el("p", null, WORDS.record_counts_is),
    form,
  );
}

/** @param {Record<string, string>} attributes */
const input = (attributes) => el("input", { class: "sv-input", type: "text", autocomplete: "off", ...attributes });

/** @param {string} key @param {HTMLElement} field */
const labelled = (key, field) => el("label.sv-record-field", null, wordOf(key), " ", field);

/** What is no number goes as it was typed: the server says what is wrong with it. @param {string} text */
const numberOf = (text) => (/^-?\d{1,15}(\.\d+)?$/.test(text.trim()) ? Number(text) : text.trim() || null);

/** @param {string} text @returns {Record<string, unknown> | null} */
function objectOf(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param {RecordMount} mount */
export function place({ element, props }) {
  const box = el("div");
  let isCounting = false; // five numbers were sent, and are not answered
  element.replaceChildren(box);
  const close = () => box.replaceChildren();
  /** @param {HTMLElement} panel */
  function show(panel) {
    box.replaceChildren(panel);
    box.scrollIntoView({ block: "nearest" }); // on a phone it begins below the first screen
  }
  function paint() {
    close();
    if (props.value) show(recordPanel(JSON.parse(props.value), button(WORDS.record_close, close)));
  }
  /** @param {string} json */
  function send(json) {
    const data = new DataTransfer();
    data.items.add(new File([json], "counts.json", { type: "application/json" }));
    isCounting = true;
    upload(data.files);
  }
  whileHere(element, document, "specviz:status", ({ detail }) => {
    if (detail === "waiting") close();
    if (isCounting && detail === "linked") paint(); // of the same numbers as before the value does not change
    if (["linked", "refused"].includes(detail)) isCounting = false;
  });
  return { paint, openForm: () => show(countsForm(send, close)) };
}
