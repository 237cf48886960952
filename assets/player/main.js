// Puts the pieces together: a picture arrives, both lanes are drawn, the clock starts, a token is chosen.

const root = element;
const race = root.querySelector(".sv-race"), detail = root.querySelector(".sv-detail");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const moveHand = makeHand(root);
let now = null; // what is on screen: {picture, lanes, clock, bar, inspector, caption}

function legend(hasDraft) {
  const names = hasDraft ? ["prompt", "drafted", "accepted", "rejected", "unexamined", "corrected", "bonus", "plain"] : ["prompt", "plain"];
  return el("ul.sv-legend", null, names.map((name) =>
    el("li", null, el("span.sv-token", { "data-role": name, "aria-hidden": "true" }, ROLES[name].glyph), " ", ROLES[name].word)));
}

function show(picture, arrived) {
  if (now) now.clock.pause();
  const lanes = ["vanilla", "speculative"].map((name) => buildLane(name, picture));
  const duration = Math.max(0, ...lanes.map((lane) => (lane.data ? lane.data.duration : 0)));
  const stepped = picture.lanes.speculative || picture.lanes.vanilla;
  const clock = makeClock(duration, stepped ? stepped.rounds.map((round) => round.end) : [], paint);
  const bar = makeBar(clock);
  const inspector = el("section.sv-inspector"), numbers = el("section.sv-numbers");
  now = { picture, lanes, clock, bar, inspector, caption: el("div.sv-caption", { "aria-live": "polite" }) };
  race.replaceChildren(headline(picture), el("div.sv-lanes", null, lanes.map((lane) => lane.root)), now.caption, bar.root, legend(picture.header.config.K > 0));
  detail.replaceChildren(inspector, numbers);
  delete root.dataset.empty;
  drawNumbers(numbers, picture);
  pick(worthAsking(lanes), false);
  if (arrived) bringIntoView();
  if (still.matches) clock.seek(duration);
  else { clock.seek(0); clock.play(); }
}

// A run that was asked for should be seen, also on a small screen.
function bringIntoView() {
  if (race.getBoundingClientRect().bottom > innerHeight) race.scrollIntoView({ block: "start", behavior: still.matches ? "auto" : "smooth" });
}

function paint(clock) {
  now.lanes.forEach((lane) => moveLane(lane, clock.t));
  moveBar(now.bar, clock);
  moveHand(clock.t);
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
    rove(span);
  }
  const picked = span && span.picked;
  drawInspector(now.inspector, now.picture, picked);
  drawCaption(now.caption, now.picture, picked, () => now.inspector.scrollIntoView({ behavior: still.matches ? "auto" : "smooth" }));
  if (byHand) now.caption.scrollIntoView({ block: "nearest" });
}

// One stop of the Tab key a lane; arrows go on from there (WAI-ARIA, roving tabindex).
function rove(span) {
  now.lanes.find((lane) => lane.spans[span.at] === span).spans.forEach((other) => (other.tabIndex = other === span ? 0 : -1));
}

function tokenKey(event, span) {
  const { spans } = now.lanes.find((lane) => lane.spans[span.at] === span);
  const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter" || event.key === " ") pick(span, true);
  else if (way) {
    const next = spans[span.at + way];
    if (next && next.dataset.role) { rove(next); next.focus({ preventScroll: false }); }
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

document.addEventListener("keydown", onKey);
document.addEventListener("click", onPress);
race.addEventListener("click", (event) => {
  const span = event.target.closest(".sv-text .sv-token");
  if (span && now) pick(span, true);
});
watch("value", () => read(true));
read(false);
