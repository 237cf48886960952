// A study with a class: eight questions before and after the lesson, on phones or on paper, counted here.

import { entrance } from "../poll/entrance.js";
import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { save } from "../shared/save.js";
import { fillText } from "../shared/sentences.js";
import { readTabStored, writeTabStored } from "../shared/store.js";
import { line, wordTable } from "../shared/table.js";
import { openDialog } from "./dialog.js";
import { LESSON } from "./lesson.js";
import { formatSheets, parseSheets, scoreAnswers } from "./score.js";

/** @import { Room, Share, Sheet, StudyResult } from "./types.js" */

/** @param {HTMLElement} root @param {Room} room @param {() => void} print */
export function openStudy(root, room, print) {
  const { right, words } = LESSON.study;
  /** @type {Sheet[]} of the phones */
  let phoneSheets = [];
  let sheets = phoneSheets;
  const result = el("div.lrn-result", { "aria-live": "polite" });
  const badLine = el("p.sv-note", { role: "status" });
  const textarea = el("textarea.sv-input.lrn-sheets", { id: "lrn-sheets", rows: 4, spellcheck: "false" });
  textarea.value = readTabStored("study") ?? "";

  const updateResult = () => {
    const paper = parseSheets(textarea.value, right.length);
    writeTabStored("study", textarea.value || null);
    setText(badLine, paper.wrong === null ? "" : fillText(words.paper_wrong, { line: paper.wrong }));
    sheets = [...phoneSheets, ...paper.sheets];
    result.replaceChildren(
      ...(sheets.length ? resultNodes(scoreAnswers(sheets, right), words) : [el("p.sv-note", null, words.none)]),
    );
  };
  textarea.addEventListener("input", updateResult);
  const onSheets = (/** @type {Sheet[]} */ received) => {
    phoneSheets = received;
    updateResult();
  };
  const phones = room.here ? phonesRow(room, words, onSheets) : null;
  openDialog(root, words.title, [
    el("p", null, words.what),
    phones,
    el("label", { for: "lrn-sheets" }, words.paper),
    el("p.sv-note", null, words.paper_how),
    textarea,
    badLine,
    result,
    el(
      "div.sv-flow",
      null,
      button(words.save, () => save("specviz-study.txt", "text/plain", formatSheets(sheets))),
      button(words.print, print),
    ),
  ]);
  updateResult();
}

/**
 * The questions on the phones, and what they answered.
 * @param {Room} room @param {Record<string, string>} words @param {(sheets: Sheet[]) => void} onSheets
 */
function phonesRow(room, words, onSheets) {
  const start = (/** @type {string | null} */ now) => () => room.setSurvey(now);
  const starts = { before: button(words.before, start("before")), after: button(words.after, start("after")) };
  const end = button(words.end, start(null));
  const status = el("span.sv-note", { role: "status" });
  const door = entrance(room);
  const root = el("div.sv-phones.sv-flow", null, starts.before, starts.after, end, status, door.nodes);
  let last = "";
  const update = () => {
    if (last && !root.isConnected) return; // the dialog was closed
    const survey = room.open ? (room.state?.survey ?? null) : null;
    const now = survey?.now ?? null;
    for (const [name, node] of Object.entries(starts)) node.setAttribute("aria-pressed", String(name === now));
    end.hidden = now === null;
    const count = survey && now ? fillText(words.done, { done: survey.done, here: room.state?.here ?? 0 }) : words.idle;
    setText(status, room.message || count);
    door.show(now !== null);
    root.toggleAttribute("data-joined", Boolean(room.state?.here));
    const state = JSON.stringify(survey);
    if (state !== last && room.open) room.callServer("room_answers").then(({ rows }) => rows && onSheets(rows));
    last = state;
  };
  room.addListener(update);
  update();
  return root;
}

/** @param {StudyResult} result @param {Record<string, string>} words */
function resultNodes({ questions, pairs }, words) {
  const cell = (/** @type {Share} */ { right, of, low, high }) => {
    const [least, most] = [Math.floor(100 * low), Math.ceil(100 * high)];
    const range = of ? el("small", null, fillText(words.range, { least, most })) : null;
    return [of ? fillText(words.share, { right, of }) : number(null, 0), range];
  };
  const heads = [words.question, words.right_before, words.right_after, words.gained, words.lost];
  const body = questions.map(({ before, after, gained, lost }, i) => {
    const cells = [cell(before), cell(after), String(gained), String(lost)];
    return line(`${i + 1}. ${LESSON.study.questions[i]}`, cells);
  });
  const { before, after, p, ...counts } = pairs;
  const means = { ...counts, before: number(before, 1), after: number(after, 1) };
  return [
    wordTable("", heads, body),
    ...(pairs.n ? [el("p", null, fillText(words.pairs, means), " ", fillText(words.chance, { p: number(p, 3) }))] : []),
    el("p.sv-note", null, words.intervals, " ", words.limits),
  ];
}
