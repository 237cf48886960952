// One clock for both lanes. t is milliseconds of decoding as measured; `slow` is how many times slower it is shown.

const SLOW = [1, 2, 4, 10];
const LONG_ENOUGH = 4000; // ms on screen: below that the eye cannot follow

// The fastest speed at which the slower lane still takes a few seconds.
function fitting(duration) {
  return SLOW.find((slow) => slow * duration >= LONG_ENOUGH) || SLOW[SLOW.length - 1];
}

function makeClock(duration, moments, paint) {
  const clock = { t: 0, duration, slow: fitting(duration), playing: false };
  let last = 0, frame = 0;

  function tick(now) {
    clock.t = Math.min(duration, clock.t + (now - last) / clock.slow);
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
  // To the end of the next round, or of the one before (`moments`: the ends of rounds of the speculative lane).
  clock.step = (way) => {
    clock.pause();
    const near = 1e-6;
    const to = way > 0 ? moments.find((m) => m > clock.t + near) : moments.filter((m) => m < clock.t - near).pop();
    clock.seek(to === undefined ? (way > 0 ? duration : 0) : to);
  };
  return clock;
}
