// The tab: a bar of chapters, one chapter on the screen, the keys, the address, projector mode and the teacher's notes.

const PICTURES = { alone, guess, draft, verify, accept, residual, rounds, speed, others };
const root = element.querySelector(".lrn"), still = matchMedia("(prefers-reduced-motion: reduce)");
const stage = { chapter: 0, clock: null, step: null }; // what is on the screen
let excerpts = null, onScreen = false;

// The number of the chapter that the address asks for, from 0; null if it asks for none.
function asked() {
  const n = new URLSearchParams(location.search).get("chapter");
  return /^[1-9]$/.test(n || "") && LESSON.chapters[n - 1] ? n - 1 : null;
}

function keepAddress(there) {
  const address = new URL(location.href);
  if (there) address.searchParams.set("chapter", stage.chapter + 1);
  else address.searchParams.delete("chapter");
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}

function open(n) {
  stage.chapter = Math.max(0, Math.min(LESSON.chapters.length - 1, n));
  if (stage.clock) stage.clock.pause();
  const chapter = LESSON.chapters[stage.chapter], data = excerpts[chapter.key];
  const there = data && (!Array.isArray(data) || data.length);
  const facts = factsOf(data), scene = there ? PICTURES[chapter.key](data) : null;
  root.replaceChildren(chapterBar(), el("article.lrn-chapter", { "data-chapter": chapter.key, "aria-labelledby": "lrn-title" }, words(chapter, facts), scene ? picture(scene) : el("p.lrn-note", null, T.nothing)),
    notes(chapter), foot(chapter, facts));
  keepAddress(true);
  if (!scene) {
    stage.clock = null;
    return;
  }
  if (still.matches) stage.clock.seek(stage.clock.duration);
  else { stage.clock.seek(0); stage.clock.play(); }
}

// What the sentences of a chapter and its sources may name.
function factsOf(data) {
  const pair = data && data.target ? data : excerpts.speed;
  return { target: pair.target.name, draft: pair.draft.name, device: pair.device, megabytes: megabytes(pair.target), c: number(pair.c, 2) };
}

function chapterBar() {
  const items = LESSON.chapters.map(({ short, title }, i) => {
    const button = el("button", { type: "button", title, "aria-current": i === stage.chapter ? "step" : null }, el("b", null, String(i + 1)), el("span", null, short));
    button.addEventListener("click", () => { open(i); root.querySelectorAll(".lrn-chapters button")[i].focus({ preventScroll: true }); });
    return el("li", null, button);
  });
  return el("nav.lrn-bar-top", { "aria-label": T.chapters }, el("ol.lrn-chapters", null, items), toggles());
}

function toggles() {
  const button = (word, on, act) => {
    const node = el("button.lrn-button", { type: "button", "aria-pressed": String(on) }, word);
    node.addEventListener("click", act);
    return node;
  };
  const projecting = root.hasAttribute("data-projector");
  return el("div.lrn-toggles", null, button(T.notes, root.hasAttribute("data-notes"), toggleNotes), button(projecting ? T.leave_projector : T.projector, projecting, () => project(!projecting)));
}

function words(chapter, facts) {
  return el("div.lrn-words", null,
    el("p.lrn-number", null, filled(T.chapter_of, { n: stage.chapter + 1, of: LESSON.chapters.length })), el("h2", { id: "lrn-title", tabindex: -1 }, chapter.title),
    chapter.text.map((sentences) => el("p.lrn-text", null, filled(sentences, facts))),
    question(chapter.question, stage.chapter));
}

// The picture with its clock: play, step, scrub, and the sentence of the moment.
function picture(scene) {
  const { beats, paint } = scene, duration = beats[beats.length - 1].at + scene.tail;
  const told = el("p.lrn-told"), play = el("button.lrn-button.lrn-play", { type: "button" });
  const scrub = el("input", { type: "range", min: 0, max: duration, step: "any", "aria-label": T.time });
  const step = (word, way, sign) => {
    const button = el("button.lrn-button", { type: "button", "aria-label": word, title: word }, sign);
    button.addEventListener("click", () => stepTo(way));
    return button;
  };
  let said = -1;
  const clock = makeClock(duration, [], ({ t, playing }) => {
    const i = Math.max(0, beats.filter((beat) => beat.at <= t).length - 1);
    paint(t, i);
    setText(play, playing ? T.pause : t >= duration ? T.again : T.play);
    scrub.value = t;
    if (i !== said || !playing) told.replaceChildren(...fill(...beats[i].say));
    said = i;
    told.setAttribute("aria-live", playing ? "off" : "polite");
    if (!playing) scrub.setAttribute("aria-valuetext", told.textContent);
  });
  clock.slow = 1;
  // A step shows a moment whole: it goes to where the next one would begin.
  const ends = beats.map((_, i) => (i + 1 < beats.length ? beats[i + 1].at - 1 : duration));
  const stepTo = (way) => {
    clock.pause();
    const to = way > 0 ? ends.find((end) => end > clock.t + 0.5) : ends.filter((end) => end < clock.t - 0.5).pop();
    clock.seek(to === undefined ? (way > 0 ? duration : 0) : to);
  };
  play.addEventListener("click", clock.toggle);
  scrub.addEventListener("input", () => { const wanted = Number(scrub.value); clock.pause(); clock.seek(wanted); });
  stage.clock = clock;
  stage.step = stepTo;
  return el("section.lrn-stage", null, el("div.lrn-picture", null, scene.node), told,
    el("div.lrn-player", { role: "group" }, play, step(T.back, -1, "‹"), step(T.on, 1, "›"), scrub));
}

const notes = (chapter) => el("aside.lrn-notes", { "aria-label": T.notes_title }, el("h3", null, T.notes_title), el("ul", null, chapter.notes.map((note) => el("li", null, note))));

// Where to go from here: the chapters beside this one, and Watch with its settings. Under them what it is based on.
function foot(chapter, facts) {
  const go = el("button.lrn-button.lrn-try", { type: "button" }, T.try);
  go.addEventListener("click", () => { project(false); trigger("try_it", { chapter: stage.chapter + 1 }); });
  return el("footer.lrn-foot", null, turn(T.previous, -1), el("div.lrn-go", null, go, el("span", null, chapter.go)), turn(T.next, 1),
    el("div.lrn-base", null, el("p.lrn-sources", null, `${T.sources}: `, chapter.sources.map((name) => filled(LESSON.sources[name], facts)).join(" · ")), el("p.lrn-keys", null, T.keys)));
}

function turn(word, way) {
  const there = LESSON.chapters[stage.chapter + way];
  const button = el("button.lrn-button.lrn-turn", { type: "button", title: there ? there.title : null }, way < 0 ? "← " : "", word, way > 0 ? " →" : "");
  button.disabled = !there;
  button.addEventListener("click", () => turnTo(stage.chapter + way));
  return button;
}

// To another chapter, and those who listen hear its title.
function turnTo(n) {
  if (!LESSON.chapters[n]) return;
  open(n);
  root.querySelector("#lrn-title").focus({ preventScroll: true });
}

function project(on) {
  root.toggleAttribute("data-projector", on);
  document.body.toggleAttribute("data-lrn-projector", on);
  root.querySelector(".lrn-toggles").replaceWith(toggles());
}

function toggleNotes() {
  root.toggleAttribute("data-notes");
  root.querySelector(".lrn-toggles").replaceWith(toggles());
  root.querySelector(".lrn-toggles button").focus({ preventScroll: true });
}

// Keys work on the bare page and inside the tab, never while something is pressed or moved with them. Caught before the player of
// the other tab hears them.
function onLearnKey(event) {
  if (!root.isConnected) return removeEventListener("keydown", onLearnKey, true);
  if (!onScreen || !excerpts || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event, bare = target === document.body || target === document.documentElement;
  if (!bare && !root.contains(target)) return;
  const inside = target.closest && target.closest("input, select, textarea"), pressing = target.closest && target.closest("button, a, input, summary");
  if (event.key === "ArrowRight" && !inside) turnTo(stage.chapter + 1);
  else if (event.key === "ArrowLeft" && !inside) turnTo(stage.chapter - 1);
  else if (event.key === " " && !pressing && stage.clock) stage.clock.toggle();
  else if (event.key === "," && !inside && stage.clock) stage.step(-1);
  else if (event.key === "." && !inside && stage.clock) stage.step(1);
  else if (event.key.toLowerCase() === "p") project(!root.hasAttribute("data-projector"));
  else if (event.key.toLowerCase() === "n") toggleNotes();
  else if (event.key === "Escape" && root.hasAttribute("data-projector")) project(false);
  else if (bare && (event.key === "Home" || event.key === "End")) return event.stopImmediatePropagation(); // they scroll the page
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// The address follows the tab: it names a chapter while one is on the screen. A hidden picture rests.
new ResizeObserver(() => {
  const there = root.offsetWidth > 0;
  if (there === onScreen) return;
  onScreen = there;
  if (excerpts) keepAddress(onScreen);
  if (!onScreen && stage.clock) stage.clock.pause();
}).observe(root);

addEventListener("keydown", onLearnKey, true);
watch("value", () => onMeasured());
root.replaceChildren(el("p.lrn-note", { role: "status" }, T.loading));
server.recorded_rounds("").then((text) => {
  excerpts = JSON.parse(text);
  open(asked() ?? 0);
}).catch((error) => {
  console.warn(error);
  root.replaceChildren(el("p.lrn-note", { role: "alert" }, T.lost));
});
