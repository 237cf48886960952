// You are the draft: people type what comes next, the target scores it in one pass. At one keyboard or from phones.

import { button } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";
import { still } from "../../shared/motion.js";
import { linkTo } from "../../shared/room.js";
import { save } from "../../shared/save.js";
import { readTabStored, writeTabStored } from "../../shared/store.js";
import { openTab } from "../../shared/tabs.js";
import { ROLES } from "../../shared/words.js";
import { addPanel } from "../panels.js";
import { beginning, fields } from "./fields.js";
import { makeGuess } from "./guess.js";
import { handout } from "./handout.js";
import { makeRoom } from "./room.js";
import { add, addRounds, player, table, whyEnded } from "./state.js";
import { bars, counts } from "./tally.js";
import { verdict } from "./verdict.js";
import { reads, writing } from "./writing.js";

/** @import { PanelContext, Drawn, Settings } from "../types.js" */
/** @import { Room } from "./types.js" */

// what this tab keeps of the room that it opened, its key too: the link that phones get has the code alone
const ROOM = "room";

/** @param {PanelContext} bench @returns {Drawn} */
function classroom(bench) {
  const words = /** @type {Record<string, any>} */ (bench.words);
  /** @type {{ room: Room, settings: Settings } | null} */
  const kept = readTabStored(ROOM);
  const again = kept && (bench.asked.who ?? "room") === "room";
  const state = beginning(again ? { ...bench.asked, ...kept.settings } : bench.asked, words);
  const place = {
    text: el("div.ppl-text"),
    round: el("div.ppl-last"),
    tally: el("figure.ppl-tally"),
    counts: el("div"),
  };
  const rule = el("p.lab-note");

  /** Ask Python; what it refuses is said. @param {string} name @param {object} sent @returns {Promise<any>} */
  const ask = async (name, sent) => {
    try {
      return JSON.parse(await bench.server[name](sent));
    } catch (error) {
      console.warn(error);
      return { error: words.lost };
    }
  };
  /**
   * The same, with what is going on said, and one thing at a time.
   * @param {string} name @param {object} sent @param {(answer: any) => void} then
   */
  const act = async (name, sent, then) => {
    if (state.busy) return;
    state.busy = true;
    bench.say(name === "score" || name === "room_play" ? words.verifying : "");
    const answer = await ask(name, sent);
    state.busy = false;
    bench.say(answer.error ?? "");
    if (!answer.error) then(answer);
    show();
  };
  const settings = () => ({ temperature: state.temperature, seed: state.seed });
  const keep = () => {
    const { who, prompt } = state;
    const asked = { who, temperature: String(state.temperature), seed: String(state.seed), prompt };
    bench.keep(asked);
    if (state.room) writeTabStored(ROOM, { room: state.room, settings: asked });
  };

  const guess = makeGuess(
    words,
    () => reads(state),
    async (typed) => (await ask("pieces", { words: typed })).tokens ?? null,
    (typed) => {
      const sent = { words: typed, text: state.text.map(({ token }) => token.id), ...settings() };
      act("score", sent, (played) => {
        add(state, played, player(state, words));
        guess.clear();
      }).then(() => guess.focus());
    },
  );
  /** A room, or the room that is open with another text: who is in stays. */
  const open = () =>
    act("room_open", { ...state.room, prompt: state.prompt }, ({ code, key, tokens, lan }) => {
      restart(tokens);
      const was = state.room;
      state.room ??= { code, key, ...linkTo(code, lan) };
      keep();
      if (!was) room.begin(state.room);
    });
  const room = makeRoom(words, {
    ask,
    open,
    play: () =>
      state.room &&
      act("room_play", { code: state.room.code, key: state.room.key, ...settings() }, (played) =>
        addRounds(state, [played], words.class),
      ),
    shown: () => state.turns.length,
    come: (rounds) => addRounds(state, rounds, words.class) && show(),
    over(said) {
      state.room = null;
      writeTabStored(ROOM, null);
      if (said) bench.say(said);
      show();
    },
  });

  /** @param {{ id: number, text: string, partial: boolean }[]} tokens */
  const restart = (tokens) => {
    state.text = tokens.map((token) => ({ token, role: "prompt" }));
    state.turns = [];
  };
  const begin = () => {
    if (state.room && state.who === "room") return open();
    room.end();
    if (state.who === "room") {
      restart([]);
      state.room = readTabStored(ROOM)?.room ?? null; // opened before a reload, or by a chapter of Learn
      if (state.room) room.begin(state.room);
      return show();
    }
    return act("begin", { prompt: state.prompt }, ({ tokens }) => restart(tokens));
  };

  // whoever came from a lesson of Learn goes back to where it went on
  const back = button(words.back_to_lesson, () => openTab("learn-tab"), { class: "sv-link" });
  const show = () => {
    back.hidden = state.who !== "room" || readTabStored("lesson") !== true;
    const over = whyEnded(state);
    const together = state.who === "room";
    place.text.replaceChildren(writing(state, words, ROLES));
    guess.root.hidden = together;
    room.root.hidden = !together;
    guess.ask(player(state, words));
    guess.enable(!state.busy && !over && state.text.length > 0);
    room.enable(!state.busy && !over);
    rule.replaceChildren(words[`rule${together ? "_room" : ""}${state.temperature === 0 ? "_greedy" : ""}`]);
    const last = state.turns.at(-1);
    const shown = last
      ? verdict(last, state.turns.length, words, ROLES)
      : el("p.lab-note", null, state.room ? words.nothing_open : together ? words.nothing_room : words.nothing);
    place.round.replaceChildren(shown, ...(over ? [el("p", null, words.ended[over])] : []));
    const chart = state.turns.length
      ? [el("figcaption", null, words.tally), bars(state, words, Math.min(560, bench.width()))]
      : [];
    place.tally.replaceChildren(...chart);
    place.counts.replaceChildren(...counts(state, words));
    if (last && !still()) place.round.firstElementChild?.classList.add("ppl-new");
  };

  const { who, nodes } = fields(state, words, {
    begin() {
      keep();
      begin();
    },
    changed() {
      keep();
      show();
    },
    say: bench.say,
  });
  const picture = el(
    "div.ppl",
    null,
    place.text,
    guess.root,
    room.root,
    el("div.ppl-came", null, place.round, place.tally),
    rule,
  );
  const print = button(words.handout, () => {
    if (state.turns.length) save("specviz-classroom.html", "text/html", handout(state, words, words.title));
    else bench.say(words.nothing);
  });
  return {
    controls: [...nodes, back],
    picture,
    arrive(asked) {
      if (asked.who !== "room" || state.room) return;
      state.who = who.value = "room";
      begin();
      keep();
    },
    begin() {
      begin();
      show();
    },
    numbers: [place.counts, print],
    draw: show,
    table: () => (state.turns.length ? table(state, words.csv) : null),
    chart: () => place.tally.querySelector("svg"),
  };
}

addPanel("classroom", classroom);
