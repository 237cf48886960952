// The clock of a run: marks between the phases of a round (specviz/engine/machine.py). Milliseconds of the page's
// own clock.

export class Stopwatch {
  /** @type {number[]} the round's start, after drafting, after the pass, after the decision, its end */
  marks = [];

  now() {
    return performance.now();
  }

  start() {
    this.marks = [this.now()];
  }

  lap() {
    this.marks.push(this.now());
  }

  /** ms of draft, verify, decide and the rest of the round that just ended. */
  phases() {
    const [start, drafted, verified, decided, ended] = this.marks;
    return { draft: drafted - start, verify: verified - drafted, decide: decided - verified, rest: ended - decided };
  }
}

/** The smallest step that the clock makes here, in ms, of 20 or of those in some 50 ms: a page that shares its process
 * with others gets a coarse one. */
export function resolution(clock = () => performance.now()) {
  let least = Infinity;
  const began = clock();
  for (let i = 0; i < 20 && (i < 2 || clock() - began < 50); i++) {
    const start = clock();
    let now = start;
    while (now === start) now = clock();
    least = Math.min(least, now - start);
  }
  return least;
}
