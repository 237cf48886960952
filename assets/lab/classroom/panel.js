// You are the draft: people type what comes next, the target scores it in one pass. At one keyboard or from phones.

import { button } from "../../shared/controls.js";
import { csv } from "../../shared/csv.js";
import { el, still } from "../../shared/dom.js";
import { forgetRoom, openedRoom, readRoom, writeRoom } from "../../shared/room.js";
import { save } from "../../shared/save.js";
import { readTabStored } from "../../shared/store.js";
import { openTab } from "../../shared/tabs.js";
import { addPanel } from "../panels.js";
import { fields, initialState } from "./fields.js";
import { makeGuessForm } from "./guess.js";
import { handout } from "./handout.js";
import { makeRoom } from "./room.js";
import { addRound, addRounds, csvRows, drafterName, whyEnded } from "./state.js";
import { alphaBars, countsTable, roundVerdict, textOf, textParagraph } from "./verdict.js";

/** @import { PanelContext, PanelView } from "../types.js" */

/** @param {PanelContext} context @returns {PanelView} */
function classroom(context) {
  const words = /** @type {Record<string, any>} */ (context.words);
  const storedRoom = readRoom();
  const link = context.linkSettings;
  const resumes = storedRoom && (link.who ?? "room") === "room";
  const state = initialState(resumes ? { ...link, ...storedRoom.settings } : link, words);
  const boxes = {
    text: el("div"),
    round: el("div.ppl-last"),
    tally: el("figure.ppl-tally"),
    counts: el("div"),
  };
  const rule = el("p.lab-note");

  /** Ask Python; what it refuses is said. @param {string} name @param {object} request @returns {Promise<any>} */
  const callServer = async (name, request) => {
    try {
      return JSON.parse(await context.server[name](request));
    } catch (error) {
      console.warn(error);
      return { error: words.lost };
    }
  };
  /**
   * The same, with what is going on said, and one thing at a time.
   * @param {string} name @param {object} request @param {(answer: any) => void} onAnswer
   */
  const runAction = async (name, request, onAnswer) => {
    if (state.busy) return;
    state.busy = true;
    context.announce(name === "score" || name === "room_play" ? words.verifying : "");
    const answer = await callServer(name, request);
    state.busy = false;
    context.announce(answer.error ?? "");
    if (!answer.error) onAnswer(answer);
    draw();
  };
  const sampling = () => ({ temperature: state.temperature, seed: state.seed });
  const saveSettings = () => {
    const { who, prompt } = state;
    const settings = { who, temperature: String(state.temperature), seed: String(state.seed), prompt };
    context.updateLink(settings);
    if (state.room) writeRoom({ ...readRoom(), room: state.room, settings });
  };

  const guess = makeGuessForm(
    words,
    () => textOf(state),
    async (guessText) => (await callServer("pieces", { words: guessText })).tokens ?? null,
    (guessText) => {
      const request = { words: guessText, text: state.text.map(({ token }) => token.id), ...sampling() };
      runAction("score", request, (round) => {
        addRound(state, round, drafterName(state, words));
        guess.clear();
      }).then(() => guess.focus());
    },
  );
  /** A room, or the room that is open with another text: who is in stays. */
  const openRoom = () =>
    runAction("room_open", { ...state.room, prompt: state.prompt }, (opened) => {
      resetText(opened.tokens);
      const previous = state.room;
      state.room ??= openedRoom(opened);
      saveSettings();
      if (!previous) room.start(state.room);
    });
  const room = makeRoom(words, {
    ask: callServer,
    open: openRoom,
    play: () =>
      state.room &&
      runAction("room_play", { code: state.room.code, key: state.room.key, ...sampling() }, (round) =>
        addRounds(state, [round], words.class),
      ),
    async saveAnswers() {
      const { rows, error } = await callServer("room_answers", { ...state.room });
      context.announce(error ?? (rows.length ? "" : words.answers_none));
      if (rows?.length) save("specviz-room.csv", "text/csv", `\ufeff${csv([words.answers_csv, ...rows])}`);
    },
    roundCount: () => state.turns.length,
    onRounds: (rounds) => addRounds(state, rounds, words.class) && draw(),
    onEnd(sentence) {
      if (state.room) forgetRoom(state.room.code);
      state.room = null;
      if (sentence) context.announce(sentence);
      draw();
    },
  });

  /** @param {{ id: number, text: string, partial: boolean }[]} tokens */
  const resetText = (tokens) => {
    state.text = tokens.map((token) => ({ token, role: "prompt" }));
    state.turns = [];
  };
  const startText = () => {
    if (state.room && state.who === "room") return openRoom();
    room.end();
    if (state.who === "room") {
      resetText([]);
      state.room = readRoom()?.room ?? null; // opened in a tab that was closed, or by a chapter of Learn
      if (state.room) room.start(state.room);
      return draw();
    }
    return runAction("begin", { prompt: state.prompt }, ({ tokens }) => resetText(tokens));
  };

  // whoever came from a lesson of Learn goes back to where it went on
  const backToLesson = button(words.back_to_lesson, () => openTab("learn-tab"), { class: "sv-link" });
  const draw = () => {
    backToLesson.hidden = state.who !== "room" || readTabStored("lesson") !== true;
    const endReason = whyEnded(state);
    const inRoom = state.who === "room";
    boxes.text.replaceChildren(textParagraph(state, words));
    guess.root.hidden = inRoom;
    room.root.hidden = !inRoom;
    guess.setPlayer(drafterName(state, words));
    guess.enable(!state.busy && !endReason && state.text.length > 0);
    room.enable(!state.busy && !endReason);
    rule.replaceChildren(words[`rule${inRoom ? "_room" : ""}${state.temperature === 0 ? "_greedy" : ""}`]);
    const last = state.turns.at(-1);
    const verdictNode = last
      ? roundVerdict(last, state.turns.length, words)
      : el("p.lab-note", null, state.room ? words.nothing_open : inRoom ? words.nothing_room : words.nothing);
    boxes.round.replaceChildren(verdictNode, ...(endReason ? [el("p", null, words.ended[endReason])] : []));
    const chart = last ? [el("figcaption", null, words.tally), alphaBars(state, words, context.width())] : [];
    boxes.tally.replaceChildren(...chart);
    boxes.counts.replaceChildren(...countsTable(state, words));
    if (last && !still()) verdictNode.classList.add("ppl-new");
  };

  const { who, nodes } = fields(state, words, {
    restart() {
      saveSettings();
      startText();
    },
    onSettings() {
      saveSettings();
      draw();
    },
    announce: context.announce,
  });
  const picture = el(
    "div.lab-stack",
    null,
    boxes.text,
    guess.root,
    room.root,
    el("div.ppl-came.sv-flow", null, boxes.round, boxes.tally),
    rule,
  );
  const print = button(words.handout, () => {
    if (state.turns.length) save("specviz-classroom.html", "text/html", handout(state, words, words.title));
    else context.announce(words.nothing);
  });
  return {
    controls: [...nodes, backToLesson],
    picture,
    followLink(settings) {
      if (settings.who !== "room" || state.room) return;
      state.who = who.value = "room";
      startText();
      saveSettings();
    },
    onMount() {
      startText();
      draw();
    },
    numbers: [boxes.counts, print],
    draw,
    table: () => (state.turns.length ? csvRows(state, words.csv) : null),
    chart: () => boxes.tally.querySelector("svg"),
  };
}

addPanel("classroom", classroom);
