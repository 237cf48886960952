// Puts the pieces together: a picture arrives, both lanes are drawn, the clock starts, a token is chosen.

const root = element;
const race = root.querySelector(".sv-race"), detail = root.querySelector(".sv-detail");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const timeline = makeTimeline(root, { hover: link, leave: () => link(), choose: chooseRound });
let now = null; // what is on screen: {picture, lanes, clock, bar, steps, cache, head, inspector, caption, picked}
let hiding = false; // rejected tokens and those after them are hidden

// The roles and their signs, and whether what did not stay is shown.
function legend(hasDraft) {
  const names = hasDraft ? ["prompt", "drafted", "accepted", "rejected", "unexamined", "corrected", "bonus", "plain"] : ["prompt", "plain"];
  const roles = el("ul", null, names.map((name) =>
    el("li", null, el("span.sv-token", { "data-role": name, "aria-hidden": "true" }, ROLES[name].glyph), " ", ROLES[name].word)));
  return el("div.sv-legend", null, roles, hasDraft ? hider() : null);
}

function hider() {
  const box = el("input", { type: "checkbox" });
  box.checked = hiding;
  box.addEventListener("change", () => {
    hiding = box.checked;
    root.toggleAttribute("data-hiding", hiding);
    now.lanes.forEach((lane) => {
      lane.places = null; // what is hidden takes no room
      keepStop(lane);
    });
  });
  return el("label.sv-hide", null, box, " ", WORDS.hide);
}

function show(picture, arrived) {
  if (now) now.clock.pause();
  const { activeElement } = document; // what is about to go, or to be disabled, hands the focus to the player
  const lost = activeElement === document.body || activeElement.id === "stop" || root.contains(activeElement);
  const lanes = ["vanilla", "speculative"].map((name) => buildLane(name, picture));
  const duration = Math.max(0, ...lanes.map((lane) => (lane.data ? lane.data.duration : 0)));
  const stepped = steppedLane(picture), other = stepped === picture.lanes.speculative ? picture.lanes.vanilla : null;
  const clock = makeClock(duration, stepped ? stepped.rounds.map((round) => round.end) : [], paint, stepped ? beatsOf(stepped, other) : []);
  clock.phases = stepped ? phaseStops(stepped) : [];
  const bar = makeBar(clock);
  const steps = stepped && makeSteps(clock, stepped, picture.header.config), cache = stepped && makeCache(stepped);
  if (steps) bar.takes.before(steps.root);
  const inspector = el("section.sv-inspector"), numbers = el("section.sv-numbers");
  now = { picture, lanes, clock, bar, steps, cache, inspector, head: headline(picture), over: false, caption: el("div.sv-caption", { "aria-live": "polite" }), picked: null, linked: [] };
  race.replaceChildren(el("h2.sv-unseen", null, WORDS.race), el("p.sv-earlier", null, WORDS.earlier), now.head, el("div.sv-lanes", null, lanes.map((lane) => lane.root)), now.caption, bar.root, legend(picture.header.config.K > 0), ...(stepped ? [cache.root] : []));
  detail.replaceChildren(inspector, numbers);
  delete root.dataset.empty;
  delete root.dataset.earlier;
  drawNumbers(numbers, picture);
  pick(worthAsking(lanes), false);
  if (arrived) bringIntoView();
  if (arrived && lost) bar.play.focus({ preventScroll: true });
  if (still.matches) clock.seek(duration);
  else { clock.seek(0); clock.play(); }
}

// The lane that is stepped through: the speculative one, if it has a round.
const steppedLane = ({ lanes }) => [lanes.speculative, lanes.vanilla].find((lane) => lane && lane.rounds.length);

// A run that was asked for should be seen whole, its inspector beside it, also on a small screen.
function bringIntoView() {
  if (race.getBoundingClientRect().bottom > innerHeight) race.scrollIntoView({ block: "start", behavior: still.matches ? "auto" : "smooth" });
}

function paint(clock) {
  now.lanes.forEach((lane) => moveLane(lane, clock.t));
  moveBar(now.bar, clock);
  if (now.steps) now.cache.move(now.steps.move(clock.t));
  timeline.move(clock.t);
  const over = clock.t >= clock.duration;
  if (over && !now.over) now.lanes.forEach((lane) => (lane.text.scrollTop = 0)); // at the end a lane is read from its top
  if (over) delete now.head.dataset.awaited;
  now.over = over;
}

// A first token to look at: the first rejection says most, else the first that was drafted, else anything.
function worthAsking(lanes) {
  const spans = lanes[1].spans.concat(lanes[0].spans);
  const to = (role) => lanes[1].changes.find((change) => change.to === role);
  const change = to("rejected") || to("accepted");
  return change ? change.span : spans.find((span) => span.picked.round !== undefined);
}

function pick(span, byHand) {
  root.querySelectorAll(".sv-text [aria-pressed=true]").forEach((other) => other.setAttribute("aria-pressed", "false"));
  if (span) {
    span.setAttribute("aria-pressed", "true");
    rove(laneOf(span), span);
  }
  const picked = span && span.picked;
  now.picked = picked;
  if (byHand) linkSpan(span);
  else link();
  if (byHand && picked && now.cache && now.picture.lanes[picked.lane] === steppedLane(now.picture) && picked.round !== undefined) now.cache.whole(now.picture.lanes[picked.lane].rounds[picked.round]);
  drawInspector(now.inspector, now.picture, picked);
  drawCaption(now.caption, now.picture, picked, () => now.inspector.scrollIntoView({ behavior: still.matches ? "auto" : "smooth" }));
  if (byHand && now.caption.offsetHeight > 1) now.caption.scrollIntoView({ block: "nearest" }); // on a wide screen the inspector stands beside it
}

// One round wherever it is drawn: its tokens, its stretch of the timeline. Without a round, the one of the chosen token, on the timeline.
function link(lane, index) {
  if (!now) return;
  now.linked.forEach((span) => delete span.dataset.linked);
  const picked = index === undefined && now.picked && now.picked.round !== undefined ? now.picked : null;
  const view = now.lanes.find(({ name }) => name === (picked ? picked.lane : lane));
  const round = view && view.data && view.data.rounds[picked ? picked.round : index];
  timeline.mark(view && view.name, round);
  now.linked = round && !picked ? view.byRound[index] : [];
  now.linked.forEach((span) => (span.dataset.linked = ""));
}

const linkSpan = (span) => (span && span.picked && span.picked.round !== undefined ? link(span.picked.lane, span.picked.round) : link());

// The token that says most about a round: what was rejected, else what ended it.
function chooseRound(lane, index) {
  const view = now && now.lanes.find(({ name }) => name === lane), spans = view && view.byRound[index];
  if (!spans) return;
  const span = spans.find(({ dataset }) => dataset.final === "rejected" && !hiding) || spans.findLast((each) => !each.lost) || spans[0];
  if (!seen(span)) {
    now.clock.pause();
    now.clock.seek(view.data.rounds[index].end);
  }
  follow(view, span);
  pick(span, true);
}

const laneOf = (span) => now.lanes.find((lane) => lane.spans[span.at] === span);

function tokenKey(event, span) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const way = event.shiftKey ? 0 : { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]; // with Shift: a phase, as anywhere
  if (event.key === "Enter") pick(span, true);
  else if (event.key === "Escape") now.bar.play.focus({ preventScroll: true });
  else if (way) {
    const next = nextSeen(laneOf(span), span, way);
    if (next) { next.focus(); pick(next, true); }
  } else return false;
  event.preventDefault();
  return true;
}

function onKey(event) {
  if (!root.isConnected) return document.removeEventListener("keydown", onKey);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.closest && event.target.closest("#prompt")) {
    const run = document.querySelector("#run");
    if (run && !run.disabled) run.click();
    return event.preventDefault();
  }
  if (!now) return;
  const span = event.target.closest && event.target.closest(".sv-text .sv-token");
  if (span && root.contains(span) && tokenKey(event, span)) return;
  playerKey(event, now.clock, race);
}

function read(arrived) {
  if (!props.value) {
    root.dataset.empty = "";
    race.replaceChildren(el("p.sv-invitation", null, WORDS.empty));
    return;
  }
  show(JSON.parse(props.value), arrived);
}

// A replay costs the machine that is about to be timed.
function onPress(event) {
  if (!root.isConnected) return document.removeEventListener("click", onPress);
  if (now && event.target.closest && event.target.closest("#run")) now.clock.pause();
}

// A run that failed leaves the one before it on the page: still there to read, but plainly not the answer.
function onStatus(event) {
  if (!root.isConnected) return document.removeEventListener("specviz:status", onStatus);
  const state = event.detail;
  if (!now) {
    const busy = ["waiting", "starting", "running", "stopping"].includes(state);
    return setText(race.querySelector(".sv-invitation"), busy ? WORDS.under_way : WORDS.empty);
  }
  if (state === "idle") delete root.dataset.earlier;
  if (state !== "error" && state !== "never") return;
  now.clock.pause();
  root.dataset.earlier = "";
}

// Run and Stop take turns in being disabled; the one that was pressed hands its focus to the other.
let focused = null;
const buttons = new MutationObserver(() => {
  if (!root.isConnected) return buttons.disconnect();
  const run = document.querySelector("#run"), stop = document.querySelector("#stop"), { activeElement } = document;
  if (activeElement !== document.body && !activeElement.disabled) return;
  if (focused === run && run.disabled && !stop.disabled) stop.focus({ preventScroll: true });
  else if (focused === stop && stop.disabled && !run.disabled) run.focus({ preventScroll: true });
});
buttons.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["disabled"] });
document.addEventListener("focusin", (event) => {
  focused = event.target;
  const span = root.contains(focused) && focused.closest(".sv-text .sv-token");
  if (!now) return;
  now.bar.keys.toggleAttribute("data-token", Boolean(span));
  if (span) linkSpan(span);
});
document.addEventListener("focusout", (event) => {
  if (!now) return;
  now.bar.keys.removeAttribute("data-token");
  if (root.contains(event.target) && event.target.closest(".sv-text .sv-token")) link();
});
race.addEventListener("pointerover", (event) => now && linkSpan(event.target.closest(".sv-text .sv-token")));
race.addEventListener("pointerleave", () => link());

document.addEventListener("specviz:status", onStatus);
document.addEventListener("keydown", onKey);
document.addEventListener("click", onPress);
race.addEventListener("click", (event) => {
  const span = event.target.closest(".sv-text .sv-token");
  if (span && now) pick(span, true);
});
watch("value", () => read(true));
read(false);
