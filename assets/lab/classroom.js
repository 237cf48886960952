// The panel You are the draft: people type what comes next, the target scores it in one pass. At one keyboard, or from
// phones: the room has a link and a QR code, and a button that verifies what was guessed.

import { button, chip, continuation, el, plainButton, readTabStored, setText, still } from "../player/dom.js";
import { forgetRoom, openedRoom, openTab, readRoom, save, showCode, writeRoom } from "../player/page.js";
import { csv } from "../player/rounds.js";
import { fillText } from "../player/words.js";
import { entrance } from "../poll/poll.js";
import { choice, labelled, SEED_BOUNDS, seedField, wholeIn } from "./frame.js";
import {
  addRound,
  addRounds,
  alphaBars,
  countsTable,
  csvRows,
  drafterName,
  handout,
  roundVerdict,
  textOf,
  textParagraph,
  WHO,
  whyEnded,
} from "./people.js";

/** @import { PanelContext, PanelView, PlayedRound, Room, RoomView, Settings, State, Who } from "./types.js" */
/** @import { Token } from "../shared/types.js" */

const TEMPERATURES = ["0", "0.5", "0.8", "1", "1.5"];

/** What a link asks for, each value checked.
 * @param {Settings} linkSettings @param {Record<string, any>} words @returns {State} */
function initialState(linkSettings, words) {
  return {
    who: WHO.find((who) => who === linkSettings.who && words[who]) ?? "alone",
    temperature: Number(TEMPERATURES.includes(linkSettings.temperature) ? linkSettings.temperature : "0.8"),
    seed: wholeIn(linkSettings.seed, SEED_BOUNDS) ?? 0,
    prompt: (linkSettings.prompt ?? "").slice(0, words.prompt_most) || words.first,
    text: [],
    turns: [],
    room: null,
    busy: false,
  };
}

/** @param {State} state @param {Record<string, any>} words
 * @param {{ restart(): void, onSettings(): void, announce(sentence: string): void }} actions */
function fields(state, words, actions) {
  const who = choice(
    words.who,
    WHO.filter((who) => words[who]).map((who) => [who, words[who]]),
    state.who,
    (who) => {
      state.who = /** @type {Who} */ (who);
      actions.restart();
    },
  );
  const temperature = choice(
    words.temperature,
    TEMPERATURES.map((t) => [t, t]),
    String(state.temperature),
    (t) => {
      state.temperature = Number(t);
      actions.onSettings();
    },
  );
  const onSeed = (/** @type {number} */ seed) => {
    state.seed = seed;
    actions.onSettings();
  };
  const seed = seedField(words.seed, state.seed, words.seed_bound, onSeed, actions.announce);
  const prompt = el("input.sv-input", { maxlength: words.prompt_most, value: state.prompt });
  prompt.addEventListener("change", () => {
    state.prompt = prompt.value.trim() || words.first;
    prompt.value = state.prompt;
    actions.restart();
  });
  const promptField = labelled(words.prompt, prompt);
  promptField.classList.add("ppl-prompt");
  const nodes = [who.root, temperature.root, seed, promptField, button(words.again, actions.restart)];
  return { who: who.select, nodes };
}

const DELAY_MS = 180; // ms without a key before the server is asked how words are cut

/** @param {Record<string, any>} words @param {() => string} text what stands before
 * @param {(words: string) => Promise<Token[] | null>} pieces @param {(words: string) => void} verify */
function makeGuessForm(words, text, pieces, verify) {
  const label = el("label.sv-strong", { for: "ppl-words" }, words.guess);
  const most = {
    id: "ppl-words",
    maxlength: words.words_most,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  };
  const field = el("input.sv-input", { ...most, "aria-describedby": "ppl-cut" });
  const inside = el("input", { type: "checkbox" });
  const tokenLine = el("p.ppl-cut.sv-muted", { id: "ppl-cut", role: "status" }, words.cut_empty);
  const submit = button(words.verify, () => {}, { type: "submit", class: "sv-first lab-run" });
  const guessText = () => continuation(field.value, text(), inside.checked);
  let latest = 0;
  const showTokens = async () => {
    const request = ++latest;
    const guess = guessText();
    const tokens = guess ? await pieces(guess) : null;
    if (request !== latest) return;
    const full = field.value.length >= words.words_most ? ` ${fillText(words.cut_long, { most: words.words_most })}` : "";
    if (!tokens) return setText(tokenLine, words.cut_empty);
    const long = tokens.length > words.most ? ` ${fillText(words.too_many, { n: tokens.length, most: words.most })}` : "";
    tokenLine.replaceChildren(`${words.cut} `, ...tokens.map((token) => chip(token)), long, full);
  };
  let timer = 0;
  const scheduleTokens = () => {
    clearTimeout(timer);
    timer = window.setTimeout(showTokens, DELAY_MS);
  };
  field.addEventListener("input", scheduleTokens);
  inside.addEventListener("change", scheduleTokens);
  const root = el(
    "form.ppl-guess",
    null,
    label,
    el("div.ppl-line.sv-flow", null, field, submit),
    el("label.ppl-inside.sv-muted", null, inside, ` ${words.inside}`),
    tokenLine,
  );
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    verify(guessText());
  });
  return {
    root,
    /** @param {string} player */
    setPlayer: (player) => setText(label, player === words.class ? words.guess : fillText(words.guess_of, { player })),
    clear() {
      field.value = "";
      inside.checked = false;
      latest++;
      setText(tokenLine, words.cut_empty);
    },
    focus: () => field.focus(),
    /** @param {boolean} on */
    enable(on) {
      field.disabled = !on;
      submit.disabled = !on;
    },
  };
}

const POLL_MS = 1000; // ms between two looks

/** `roundCount`: rounds on the screen; `onRounds`: takes rounds of the server, also of before the page was reloaded.
 * @param {Record<string, any>} words
 * @param {{
 *   ask(name: string, request: object): Promise<any>, open(): void, play(): void, onEnd(sentence?: string): void,
 *   saveAnswers(): void, roundCount(): number, onRounds(rounds: PlayedRound[]): void,
 * }} actions */
export function makeRoom(words, actions) {
  const open = button(words.open, () => actions.open(), { class: "sv-first lab-run" });
  const play = button(
    words.play,
    () => {
      showCode(false); // what becomes of the round is what a class looks at
      actions.play();
    },
    { class: "sv-first lab-run" },
  );
  const close = button(words.close, () => askToClose(true));
  const closeQuestion = el("span");
  const reallyClose = el(
    "span.ppl-close.sv-flow",
    { role: "alert", hidden: "" },
    closeQuestion,
    button(words.close_yes, () => end(words.room_over)),
    button(words.close_no, () => askToClose(false)),
  );
  const endQuestion = button(words.phones_end, () => request("room_ask", { about: null }));
  const questionLine = el("p.ppl-asked.sv-flow", { hidden: "" }, el("span", null, words.asked), endQuestion);
  const saveAnswers = button(words.save_answers, () => actions.saveAnswers());
  const door = entrance(words, (link) => actions.ask("room_picture", { link }));
  const count = el("p.ppl-count", { role: "status" });
  const names = el("ul.ppl-names.sv-flow");
  const timeNote = el("p.lab-note");
  const inside = el(
    "div.ppl-room.sv-flow",
    { hidden: "" },
    el("div.ppl-door", null, el("p", null, words.join), door.root),
    el(
      "div.ppl-class",
      null,
      questionLine,
      count,
      names,
      el("div.ppl-line.sv-flow", null, play, saveAnswers, close, reallyClose),
      timeNote,
    ),
  );
  const root = el("div.ppl-together", null, open, inside);
  let listedNames = "";
  /** @type {Room | null} */
  let room = null;

  /** @param {string} name @param {object} [values] */
  const request = (name, values) => room && actions.ask(name, { code: room.code, key: room.key, ...values });
  /** @param {boolean} on */
  const askToClose = (on) => {
    close.hidden = on;
    reallyClose.hidden = !on;
    setText(closeQuestion, fillText(words.close_ask, { here: hereCount }));
  };
  let hereCount = 0;

  const poll = async () => {
    const polled = room;
    if (!polled || !root.isConnected) return;
    const view = await request("room_look", { shown: actions.roundCount() });
    if (room !== polled) return;
    if (view.gone) return end(words.room_gone);
    if (!view.error) show(view);
    setTimeout(poll, POLL_MS);
  };

  /** @param {RoomView} view */
  const show = (view) => {
    hereCount = view.here;
    questionLine.hidden = view.poll === null;
    door.show(room, !view.here);
    setText(count, view.here || view.guessed ? fillText(words.here, { ...view }) : words.waiting);
    setText(timeNote, fillText(words.left, { minutes: Math.ceil(view.left / 60) }));
    const rows = view.names.map(({ id, name, guessed }) => {
      const label = name || words.nameless;
      return el(
        "li",
        { "data-guessed": guessed ? "" : null, title: guessed ? words.guessed : null },
        guessed ? `✓ ${label}` : label,
        removeButton(id, label),
      );
    });
    const newNames = JSON.stringify(view.names);
    if (newNames !== listedNames) names.replaceChildren(...rows); // a button that is about to be pressed stays
    listedNames = newNames;
    inside.toggleAttribute("data-joined", view.here > 0 || view.round > 1); // also where screens go dark
    actions.onRounds(view.played);
  };

  /** @param {number} id @param {string} name */
  function removeButton(id, name) {
    const label = fillText(words.remove, { name });
    const attributes = { "aria-label": label, title: label };
    return plainButton("button.ppl-remove", attributes, () => request("room_remove", { id }), "×");
  }

  /** @param {string} [sentence] */
  function end(sentence) {
    if (!room) return;
    request("room_close");
    room = null;
    inside.hidden = true;
    open.hidden = false;
    actions.onEnd(sentence);
  }

  return {
    root,
    /** @param {Room} opened */
    start(opened) {
      room = opened;
      open.hidden = true;
      inside.hidden = false;
      askToClose(false);
      door.show(opened, true);
      setText(count, words.waiting);
      names.replaceChildren();
      listedNames = "";
      poll();
    },
    end,
    /** @param {boolean} on */
    enable(on) {
      play.disabled = !on;
    },
  };
}

/** @param {PanelContext} context @returns {PanelView} */
export function classroom(context) {
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
  /** The same, with what is going on said, and one thing at a time.
   * @param {string} name @param {object} request @param {(answer: any) => void} onAnswer */
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
