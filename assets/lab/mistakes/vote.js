// A rule of one's own on the phones of a class: exact or biased? Its distribution is hidden until the answer is shown.

import { phones } from "../../poll/phones.js";
import { makeRoom } from "../../poll/room.js";
import { voteBars } from "../../poll/votes.js";
import { el } from "../../shared/dom.js";

/** @import { Votes } from "../../poll/types.js" */
/** @import { PanelContext } from "../types.js" */

const [EXACT, BIASED] = [0, 1]; // as specviz/page/lab/panels/mistakes.py orders them

/**
 * @param {PanelContext} context
 * @param {() => string | null} formulas of the rule, a line each; empty where they make none, null of a rule as shipped
 * @param {() => boolean} exact whether it gives p
 * @param {(on: boolean) => void} hide what the rule gives
 */
export function makeClassVote({ server, words }, formulas, exact, hide) {
  const room = makeRoom(server, words);
  const voteList = el("ol.brk-votes.sv-flow");
  const hidden = el("p.lab-note", null, words.class_hidden);
  const about = () => formulas() ?? "";
  const drawVotes = (/** @type {Votes | null} */ votes) => voteList.replaceChildren(...voteBars(votes));
  const answer = () => room.revealAnswer(about(), exact() ? EXACT : BIASED);
  const question = phones(about, room, drawVotes, answer);
  const root = el("details.brk-class", null, el("summary", null, words.teach), question.root, voteList, hidden);

  /** While a rule is asked about, the next one that is typed is hidden too: nobody has voted on it yet. */
  function update() {
    const own = formulas() !== null;
    const poll = room.state?.poll;
    const asking = poll ? poll.about.includes("\n") && (poll.about !== about() || poll.right === null) : !room.state;
    const open = own && room.open !== null && asking;
    root.hidden = !room.here || !own;
    root.open ||= open;
    hidden.hidden = !open;
    hide(open);
  }
  room.addListener(update);
  room.refresh();
  return {
    root,
    /** The rule has changed. */
    onRuleChange() {
      question.move();
      update();
    },
  };
}
