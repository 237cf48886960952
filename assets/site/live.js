// A run decoded in the visitor's own browser, in a worker: models are fetched when Run is first pressed. What the page says
// of the speed of this browser: c and v as measured before a run. What was asked for last is shown, whatever comes when.

import { ASSISTANT, Engine, raceOf, writeTrace } from "../engine/engine.js";
import { textAndKind } from "../player/picture.js";
import { fillText, number } from "../player/words.js";
import { openRun, RunError } from "./runs.js";
import { configOf, promptOf, SettingError } from "./settings.js";

/** @import { Costs, Progress, Round, Trace, Work, WorkerMessage } from "../engine/types.js" */
/** @import { Picture } from "../shared/types.js" */
/** @import { Run, SiteData, Values } from "./types.js" */

/** The costs that were measured first, as a sentence. @param {Record<string, string>} words @param {Costs} costs */
function costsSentence(words, { pass, step, busy, block, c, v }) {
  if (busy) return words.costs_busy;
  if (!pass) return fillText(words.costs_clock, { step: number(step, 1) });
  const one = fillText(words.costs, { pass: number(pass, 2) });
  if (c === null || v === null) return one;
  return `${one} ${fillText(words.costs_draft, { n: block + 1, v: number(v, 2), c: number(c, 3) })}`;
}

/** @param {SiteData} site @param {Picture} picture */
export function hypotheticalSpeedup({ words, costs }, picture) {
  const { c, tokens, drafted, steps } = /** @type {any} */ (picture.account);
  if (!(c > 0)) return words.decoded;
  const on = costs.ms[Math.min(Math.round(drafted), costs.ms.length - 1)] / costs.ms[0];
  const first = fillText(words.gains, { one: number(tokens / (steps * c + 1), 2) });
  const gpu = number(tokens / ((drafted * costs.draft_ms) / costs.ms[0] + on), 2);
  const second = picture.header.draft?.kind === "model" ? fillText(words.gains_gpu, { ...costs, gpu }) : "";
  return `${first} ${second}`.trim();
}

/** @typedef {(state: string, values?: Record<string, unknown>) => void} ShowStatus */
/** @typedef {ReturnType<typeof makeLive>} Live */
/** @typedef {[role: string, text: string]} Span */

const BYTES_PER_MB = 1e6;
const INTERVAL_MS = 250; // between two lines
const LEFT_MS = 2000; // of a run, after which it is said how long it may still take
const MAX_SPANS = 400; // of a lane in one line

/** The one engine of a visit, of Watch and of the Lab. @param {SiteData} site */
export function makeLive(site) {
  const { words, target, drafters, assistant } = site;
  const engine = new Engine(new URL("engine/worker.js", document.baseURI));
  /** @type {Set<string>} what this visit has fetched: the target, drafters */
  const fetchedNames = new Set();
  let fetching = false;
  /** @type {(Costs & { drafter: string }) | null} of the latest run, measured before it began */
  let costs = null;
  let isAsked = false; // whether Watch runs the assistant
  let isUnkept = false;

  /** @param {string} key */
  const drafterOf = (key) => drafters.find((one) => one.key === key) ?? drafters[0];

  /** What runs with these drafters would fetch, in bytes. @param {string[]} keys @param {boolean} [asks] the assistant */
  function missing(keys, asks = false) {
    if (asks && assistant) return fetchedNames.has(ASSISTANT) ? 0 : assistant.bytes;
    const sizes = [target.bytes, ...keys.map((key) => drafterOf(key).bytes)];
    return sizes.reduce((sum, bytes, i) => sum + (fetchedNames.has(i ? keys[i - 1] : target.name) ? 0 : bytes), 0);
  }

  /** The worker's result with these drafters; the status shows how their files come. Rejects with a sentence.
   * @param {Work} work @param {string[]} keys @param {ShowStatus} showStatus
   * @param {(message: WorkerMessage) => void} [onMessage] all but those of files */
  async function resultOf(work, keys, showStatus, onMessage) {
    if (engine.busy) return engine.run(work); // refused in a sentence
    const asks = work.target === ASSISTANT;
    const of = missing(keys, asks);
    fetching = of > 0; // also where not a byte has come yet
    /** @type {Map<string, number>} */
    const bytesByPath = new Map();
    const markFetched = () =>
      work.type !== "cut" && (asks ? [ASSISTANT] : [target.name, ...keys]).map((one) => fetchedNames.add(one));
    try {
      const result = await engine.run(work, (message) => {
        fetching = message.type === "fetched";
        if (message.type === "fetched") {
          bytesByPath.set(message.path, message.bytes);
          const bytes = [...bytesByPath.values()].reduce((all, each) => all + each, 0);
          return showStatus("fetching", fetchStatus(words, bytes, Math.max(of, bytes)));
        }
        markFetched();
        onMessage?.(message);
      });
      markFetched();
      return result;
    } finally {
      fetching = false;
    }
  }

  return {
    resultOf,
    missing,
    get isAsked() {
      return isAsked;
    },
    /** Whether Run asks the assistant from now on, and whether there is room to keep it.
     * @param {boolean} asks @param {boolean} fits */
    ask(asks, fits) {
      isAsked = asks;
      isUnkept = asks && !fits;
      costs = null;
    },
    /** After its round; at once while models are still coming. */
    stop() {
      if (!fetching) return engine.stop();
      fetchedNames.clear();
      engine.abandon(site.status.never);
    },
    /** Sentences on what Run does here: what it fetches first, or what it measured. @param {string} key */
    note(key) {
      const bytes = missing([key], isAsked);
      const unkept = isUnkept ? ` ${words.assistant_unkept}` : "";
      if (bytes) return fillText(words.fetches, { megabytes: (bytes / BYTES_PER_MB).toFixed(0) }) + unkept;
      if (!costs) return words.fetched + unkept;
      return costsSentence(words, costs.drafter === key ? costs : { ...costs, c: null }) + unkept;
    },
    /** A run for Watch. Rejects with a sentence. @param {Values} values @param {ShowStatus} showStatus
     * @param {() => void} onNote the `note` is another one now @returns {Promise<Run>} */
    async run(values, showStatus, onNote) {
      const drafter = drafterOf(String(values.drafter));
      const prompt = readOrExplain(() => promptOf(String(values.prompt), site));
      const config = readOrExplain(() => configOf(site, values));
      const pace = new Pace();
      const work = raceOf({ target: isAsked ? ASSISTANT : target.name, draft: drafter.draft, prompt, config });
      const trace = /** @type {Trace} */ (
        await resultOf(work, [drafter.key], showStatus, (message) => {
          if (message.type === "costs") {
            costs = { ...message.costs, drafter: drafter.key };
            onNote();
          }
          const status = message.type === "progress" && pace.status(message.progress, config.max_new_tokens);
          if (status) showStatus(status.state, status);
        })
      );
      if (!trace.vanilla.length && !trace.speculative.length) throw new Error(site.status.never);
      return openRun(new Blob([await writeTrace(trace)]), site);
    },
  };
}

/** What was asked for, or the reason why it cannot be. @template Value @param {() => Value} read */
export function readOrExplain(read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof SettingError ? new Error(`${error.message}.`) : error;
  }
}

/** @param {Record<string, string>} words @param {number} bytes @param {number} of */
function fetchStatus(words, bytes, of) {
  const [part, all] = [bytes, of].map((each) => (each / BYTES_PER_MB).toFixed(1));
  return { message: fillText(words.fetching, { done: part, all }), lane: words.models, tokens: bytes, of };
}

/** How far a run is and what its status shows meanwhile (specviz/page/status.py). */
class Pace {
  start = performance.now();
  last = this.start; // most runs are over before there is anything to tell
  lane = "";
  laneStart = 0;
  /** @type {Map<string, { spans: Span[], ends: [number, number] }>} */
  lanes = new Map();

  /** The status line after a step; null where one was shown a moment ago. @param {Progress} step
   * @param {number} requestedTokens @returns {{ state: string, [value: string]: unknown } | null} */
  status({ lane, tokens, of, again, event }, requestedTokens) {
    const now = performance.now();
    if (lane !== this.lane) [this.lane, this.laneStart] = [lane, now];
    if (event?.event === "round") this._laneSpans(lane).spans.push(...spans(event));
    if (now - this.last < INTERVAL_MS) return null;
    this.last = now;
    if (again) return { state: "again", times: again };
    const base = { state: "running", lane, tokens, of, ...(of < requestedTokens ? { asked: requestedTokens } : {}) };
    const live = Object.fromEntries([...this.lanes].map(([name, line]) => [name, takeNew(line)]));
    const remaining = of - tokens + (lane === "vanilla" ? of : 0);
    const seconds = Math.max(1, Math.round((remaining * (now - this.laneStart)) / (1000 * Math.max(1, tokens))));
    return { ...base, live, ...(tokens && now - this.start >= LEFT_MS ? { left: seconds } : {}) };
  }

  /** @param {string} lane */
  _laneSpans(lane) {
    const line = this.lanes.get(lane) ?? { spans: [], ends: [0, 0] };
    this.lanes.set(lane, line);
    return line;
  }
}

/** What is new since the last line but one. @param {{ spans: Span[], ends: [number, number] }} line */
function takeNew(line) {
  const from = Math.max(line.ends[0], line.spans.length - MAX_SPANS);
  line.ends = [line.ends[1], line.spans.length];
  return { from, spans: line.spans.slice(from) };
}

/** In reading order: the block, struck or kept, then the token that follows it.
 * @param {Round} round @returns {Span[]} */
function spans({ drafted, emitted }) {
  /** @type {Span[]} */
  const block = drafted.map(({ verdict, token }, i) => [
    verdict,
    textAndKind(token, verdict === "accepted" ? emitted[i].piece : "")[0],
  ]);
  const after = emitted.filter(({ role }) => role !== "accepted");
  for (const { role, token, piece } of after) block.push([role, textAndKind(token, piece)[0]]);
  return block;
}

const READING_MS = 8000; // to read a sentence

/** @param {ShowStatus} showStatus @param {string} lost what is said of a file of the site that does not come */
export function makeTurns(showStatus, lost) {
  let last = 0; // turns so far
  let now = 0; // whose it is
  let quiet = 0; // until then a run that goes on says nothing over the sentence that stands there

  const nextTurn = () => {
    now = ++last;
    return now;
  };

  /** @param {unknown} error @param {boolean} ours it was thrown with a sentence */
  function sentence(error, ours) {
    if (ours && error instanceof Error) return error.message;
    console.warn(error);
    return lost;
  }

  return {
    /** Nothing was asked for. */
    get none() {
      return !last;
    },
    /** Something is shown that need not be waited for. */
    nextTurn,
    /** Show what comes, unless something else was asked for meanwhile; what is refused leaves what was there before.
     * @param {Promise<Run>} promise @param {(run: Run) => void} onRun
     * @returns {Promise<string>} why it does not come, if so */
    async show(promise, onRun) {
      const before = now;
      const mine = nextTurn();
      try {
        const run = await promise;
        if (mine === now) onRun(run);
        return "";
      } catch (error) {
        const message = sentence(error, error instanceof RunError);
        if (mine !== now) return message;
        now = before;
        quiet = performance.now() + READING_MS;
        showStatus("refused", { message });
        return message;
      }
    },
    /** Decode. How far it is is shown as long as nothing else was asked for.
     * @param {(showStatus: ShowStatus) => Promise<Run>} decodeRun
     * @param {(run: Run, alone: boolean) => void} onRun `alone`: nothing else was asked for meanwhile */
    async decode(decodeRun, onRun) {
      const mine = nextTurn();
      const alone = () => mine === now;
      try {
        const run = await decodeRun((state, values) => {
          if (alone() && performance.now() > quiet) showStatus(state, values);
        });
        onRun(run, alone());
      } catch (error) {
        showStatus(alone() ? "error" : "refused", { message: sentence(error, true) });
      }
    },
  };
}
