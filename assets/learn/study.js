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
import { read, scoreAnswers, written } from "./score.js";

/** @import { Room, Share, Sheet, StudyResult } from "./types.js" */

/** @param {HTMLElement} root @param {Room} room @param {() => void} print */
export function study(root, room, print) {
  const { right, words } = LESSON.study;
  /** @type {Sheet[]} of the phones */
  let rows = [];
  let all = rows;
  const result = el("div.lrn-result", { "aria-live": "polite" });
  const wrong = el("p.sv-note", { role: "status" });
  const typed = el("textarea.sv-input.lrn-sheets", { id: "lrn-sheets", rows: 4, spellcheck: "false" });
  typed.value = readTabStored("study") ?? "";

  const count = () => {
    const paper = read(typed.value, right.length);
    writeTabStored("study", typed.value || null);
    setText(wrong, paper.wrong === null ? "" : fillText(words.paper_wrong, { line: paper.wrong }));
    all = [...rows, ...paper.sheets];
    result.replaceChildren(
      ...(all.length ? drawn(scoreAnswers(all, right), words) : [el("p.sv-note", null, words.none)]),
    );
  };
  typed.addEventListener("input", count);
  const come = (/** @type {Sheet[]} */ found) => {
    rows = found;
    count();
  };
  const phones = room.here ? asking(room, words, come) : null;
  openDialog(root, words.title, [
    el("p", null, words.what),
    phones,
    el("label", { for: "lrn-sheets" }, words.paper),
    el("p.sv-note", null, words.paper_how),
    typed,
    wrong,
    result,
    el(
      "div.sv-flow",
      null,
      button(words.save, () => save("specviz-study.txt", "text/plain", written(all))),
      button(words.print, print),
    ),
  ]);
  count();
}

/**
 * The questions on the phones, and what they answered.
 * @param {Room} room @param {Record<string, string>} words @param {(rows: Sheet[]) => void} come
 */
function asking(room, words, come) {
  const put = (/** @type {string | null} */ now) => () => room.survey(now);
  const ask = { before: button(words.before, put("before")), after: button(words.after, put("after")) };
  const end = button(words.end, put(null));
  const told = el("span.sv-note", { role: "status" });
  const door = entrance(room);
  const root = el("div.sv-phones.sv-flow", null, ask.before, ask.after, end, told, door.nodes);
  let known = "";
  const move = () => {
    if (known && !root.isConnected) return; // the dialog was closed
    const asked = room.open ? (room.seen?.survey ?? null) : null;
    const now = asked?.now ?? null;
    for (const [name, node] of Object.entries(ask)) node.setAttribute("aria-pressed", String(name === now));
    end.hidden = now === null;
    const counted = asked && now ? fillText(words.done, { done: asked.done, here: room.seen?.here ?? 0 }) : words.idle;
    setText(told, room.said || counted);
    door.show(now !== null);
    root.toggleAttribute("data-joined", Boolean(room.seen?.here));
    const state = JSON.stringify(asked);
    if (state !== known && room.open) room.ask("room_answers").then(({ rows }) => rows && come(rows));
    known = state;
  };
  room.hear(move);
  move();
  return root;
}

/** @param {StudyResult} result @param {Record<string, string>} words */
function drawn({ questions, pairs }, words) {
  const cell = (/** @type {Share} */ { right, of, low, high }) => {
    const [least, most] = [Math.floor(100 * low), Math.ceil(100 * high)];
    const range = of ? el("small", null, fillText(words.range, { least, most })) : null;
    return [of ? fillText(words.share, { right, of }) : number(null, 0), range];
  };
  const heads = [words.question, words.right_before, words.right_after, words.gained, words.lost];
  const body = questions.map((one, i) =>
    line(`${i + 1}. ${LESSON.study.asked[i]}`, [
      cell(one.before),
      cell(one.after),
      String(one.gained),
      String(one.lost),
    ]),
  );
  const { before, after, p, ...counts } = pairs;
  const said = { ...counts, before: number(before, 1), after: number(after, 1) };
  return [
    wordTable("", heads, body),
    ...(pairs.n ? [el("p", null, fillText(words.pairs, said), " ", fillText(words.chance, { p: number(p, 3) }))] : []),
    el("p.sv-note", null, words.intervals, " ", words.limits),
  ];
}
