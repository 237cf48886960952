// The player's controls and its keys.

function makeBar(clock) {
  const bar = { keys: el("span.sv-keys", null, el("span", null, WORDS.keys), el("span", null, WORDS.keys_token)) }; // one is shown, both keep their place
  bar.play = el("button.sv-button.sv-play", { type: "button" });
  bar.restart = el("button.sv-button", { type: "button" }, WORDS.restart);
  bar.scrub = el("input.sv-scrub", { type: "range", min: 0, max: clock.duration, step: "any", "aria-label": WORDS.scrub });
  bar.takes = el("span.sv-takes");
  const speeds = el("fieldset.sv-speeds", { "aria-label": WORDS.speed }, [...SLOW, STEPWISE].map((slow) => speedChoice(slow, clock, bar)));
  bar.root = el("div.sv-bar", { role: "group" }, bar.play, bar.restart, bar.scrub, speeds, bar.takes, bar.keys);
  bar.play.addEventListener("click", clock.toggle);
  bar.restart.addEventListener("click", () => { clock.seek(0); clock.play(); });
  bar.scrub.addEventListener("input", () => {
    const wanted = Number(bar.scrub.value); // read first: pausing paints, and painting moves the scrubber
    clock.pause();
    clock.seek(wanted);
  });
  tellTakes(bar, clock);
  return bar;
}

function speedChoice(slow, clock, bar) {
  const input = el("input", { type: "radio", name: "sv-speed", value: slow });
  input.checked = slow === clock.slow;
  const label = el("label", null, input, el("span", null, WORDS["speed_" + slow]));
  let pointed = false; // whoever chose by hand goes on with the arrows of the player; whoever chose by keys, with those of the choice
  label.addEventListener("pointerdown", () => { pointed = true; });
  input.addEventListener("change", () => {
    clock.slow = slow;
    tellTakes(bar, clock);
    if (pointed) requestAnimationFrame(() => bar.play.focus({ preventScroll: true }));
    pointed = false;
  });
  return label;
}

function tellTakes(bar, clock) {
  if (clock.slow === STEPWISE) return setText(bar.takes, plain("takes_step", { seconds: number(BEAT / 1000, 1) }));
  setText(bar.takes, plain("takes", { ms: number(clock.duration, 0), seconds: number((clock.duration * clock.slow) / 1000, 1) }));
}

function moveBar(bar, clock) {
  setText(bar.play, clock.playing ? WORDS.pause : WORDS.play);
  bar.scrub.value = clock.t;
  if (!clock.playing) bar.scrub.setAttribute("aria-valuetext", plain("clock", { now: number(clock.t, 0), whole: number(clock.duration, 0) }));
}

// Space, arrows, Home and End; with Shift, or as comma and full stop, a phase at a time where the clock knows phases. They work on the player and on the bare page, never while something else is typed into or pressed.
function playerKey(event, clock, root) {
  const { target } = event;
  const inside = root.contains(target), bare = target === document.body || target === document.documentElement;
  if (event.ctrlKey || event.metaKey || event.altKey || (!inside && !bare)) return;
  const choosing = target.closest && target.closest("input[type=radio]");
  const pressing = choosing || (target.closest && target.closest("button, input[type=checkbox]"));
  if (event.key === " " && !pressing) clock.toggle();
  else if (event.key === "ArrowRight" && !choosing) clock.step(1, event.shiftKey ? clock.phases : undefined);
  else if (event.key === "ArrowLeft" && !choosing) clock.step(-1, event.shiftKey ? clock.phases : undefined);
  else if (event.key === ".") clock.step(1, clock.phases);
  else if (event.key === ",") clock.step(-1, clock.phases);
  else if (event.key === "Home") { clock.pause(); clock.seek(0); }
  else if (event.key === "End") { clock.pause(); clock.seek(clock.duration); }
  else return;
  event.preventDefault();
}
