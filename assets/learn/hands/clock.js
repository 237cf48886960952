// One clock for both lanes. t is milliseconds of decoding as measured; `slow` is how many times slower it is shown.

const SLOW = [1, 2, 4, 10];
const STEPWISE = "step"; // a fifth speed, not to scale: every moment gets the same time
const BEAT = 700; // ms on screen for one moment
const LONG_ENOUGH = 4000; // ms on screen: below that the eye cannot follow

// The fastest speed at which the slower lane still takes a few seconds.
function fitting(duration) {
  return SLOW.find((slow) => slow * duration >= LONG_ENOUGH) || SLOW[SLOW.length - 1];
}

// `moments`: the ends of rounds, where step() goes; `beats`: every moment at which something is seen to happen, for STEPWISE.
function makeClock(duration, moments, paint, beats = moments) {
  const clock = { t: 0, duration, slow: fitting(duration), playing: false };
  let last = 0, frame = 0;

  // From moment to moment, BEAT for each, however far apart they were measured.
  function walk(t, passed) {
    let at = beats.findIndex((beat) => beat > t + 1e-9);
    while (at >= 0 && at < beats.length) {
      const span = beats[at] - (at ? beats[at - 1] : 0), left = (BEAT * (beats[at] - t)) / span;
      if (passed < left) return t + (span * passed) / BEAT;
      passed -= left;
      t = beats[at++];
    }
    return duration;
  }

  function tick(now) {
    const passed = Math.max(0, now - last);
    clock.t = clock.slow === STEPWISE ? walk(clock.t, passed) : Math.min(duration, clock.t + passed / clock.slow);
    last = now;
    if (clock.t >= duration) clock.playing = false;
    paint(clock);
    if (clock.playing) frame = requestAnimationFrame(tick);
  }
  clock.play = () => {
    if (clock.playing || !duration) return;
    if (clock.t >= duration) clock.t = 0;
    clock.playing = true;
    last = performance.now();
    frame = requestAnimationFrame(tick);
    paint(clock);
  };
  clock.pause = () => {
    cancelAnimationFrame(frame);
    clock.playing = false;
    paint(clock);
  };
  clock.toggle = () => (clock.playing ? clock.pause() : clock.play());
  clock.seek = (t) => {
    clock.t = Math.max(0, Math.min(duration, t));
    paint(clock);
  };
  // To the next of `stops`, or to the one before.
  clock.step = (way, stops = moments) => {
    clock.pause();
    const near = 1e-6;
    const to = way > 0 ? stops.find((m) => m > clock.t + near) : stops.filter((m) => m < clock.t - near).pop();
    clock.seek(to === undefined ? (way > 0 ? duration : 0) : to);
  };
  return clock;
}
