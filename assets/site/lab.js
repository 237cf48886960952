// The Lab on a page without a server: its script, sheet and words come when the tab is first opened. What a panel asks of the
// worker is read as strictly as a link (specviz/page/lab/panel.py); words of people are cut and scored by the worker
// (specviz/page/classroom/messages.py); what the dots of Luck say (specviz/lab/luck.py, assets/lab/luck/sentences.json).

import { el, query } from "../player/dom.js";
import { lab, labPanel } from "../player/mount.js";
import { fillText } from "../player/words.js";
import { readOrExplain } from "./live.js";
import { mountComponent, panelLine, recordedRun, text } from "./runs.js";
import { configOf, fitting, problemSentence, promptOf, SettingError, valueRefusal } from "./settings.js";

/** @import { Config, Drafted, Emitted, Round, Token, Work } from "../engine/types.js" */
/** @import { DraftCounts, DraftToken, EmittedToken, LuckResult, PlayedRound, RunMessage, Server, Settings,
 * Spread } from "../lab/types.js" */
/** @import { GameServer } from "../shared/types.js" */
/** @import { Live, ShowStatus } from "./live.js" */
/** @import { LabFile, SiteData, Values } from "./types.js" */

const FEWEST_RUNS = 4;
const MOST_RUNS = 10_000;
const PRECISION = 0.05;
const UNSURE_WIDTH = 0.8;

/** @param {Omit<LuckResult, "sentence">} found @param {Record<string, string>} words */
export function sentence({ dots, settings, spreads, clock, ratio, needed, disturbed }, words) {
  const busy = disturbed ? [fillText(words.busy, { disturbed, runs: dots.length })] : [];
  const speedup = spreads[0].speedup;
  if (!speedup || !clock) return [...busy, fillText(words.few, { few: FEWEST_RUNS })].join(" ");
  const count = (/** @type {string} */ word, /** @type {number} */ n) => fillText(words[word], { n: n.toLocaleString("en") });
  const parts = [fillText(words.median, asTexts(speedup))];
  if (settings[0].temperature === 0) parts.push(words.clock_greedy);
  else {
    const [share, low, high] = clock.map((value) => (100 * value).toFixed(0));
    parts.push(fillText(words.clock, { share, low, high }));
    if (clock[2] - clock[1] > UNSURE_WIDTH) parts.push(words.unsure);
    else if (clock[0] < 0.995) parts.push(words.rest);
  }
  if (ratio && ratio.runs >= FEWEST_RUNS) {
    const apart = ratio.low > 1 || ratio.high < 1;
    const about = () => (needed && needed > ratio.runs ? count("about", needed) : count("above", ratio.runs));
    const seeds = needed === null ? count("above", MOST_RUNS) : apart ? needed.toLocaleString("en") : about();
    parts.push(fillText(words.ratio, asTexts(ratio)));
    parts.push(fillText(words[apart ? "apart" : "alike"], { runs: ratio.runs, needed: seeds }));
  } else if (settings.length === 1) {
    const seeds = needed ? count("about", needed) : count("above", MOST_RUNS);
    parts.push(fillText(words.needed, { within: (100 * PRECISION).toFixed(0), needed: seeds }));
  }
  return [...parts, ...busy].join(" ");
}

/** @param {Spread} spread */
function asTexts({ runs, median, low, high }) {
  return { runs, median: median.toFixed(2), low: low.toFixed(2), high: high.toFixed(2) };
}

/** @typedef {{ work: Work, keys: string[], ran?: Settings }} LabRequest `keys`: of drafters; `ran`: as a link to
 * Watch */
/** @typedef {Record<string, string>} Words of the panel */

const RUN_FIELDS = ["K", "temperature", "verifier", "drafting", "seed", "length"];

/** @type {Record<string, (site: SiteData, words: Words, fields: Settings) => LabRequest>} each raises SettingError */
const requestParsers = { luck, sweep };

/** @param {SiteData} site @param {Words} words @param {Settings} fields @returns {LabRequest} */
function luck(site, words, fields) {
  const prefixes = fields.compare === "yes" ? ["", "b_"] : [""];
  const settings = prefixes.map((prefix) => {
    const fieldOf = (/** @type {string} */ name) => [fields[prefix + name], fields[name]].find((value) => value?.trim());
    const [key] = drafters(site, [fieldOf("drafter") ?? ""]);
    return { drafter: key, config: panelConfig(site, fieldOf) };
  });
  const without = settings.find(({ config }) => !config.K);
  if (without) throw refusal(site, words.K, "0", "whole", { low: 1, high: 32 });
  const seeds = wholeNumber(site, words.seeds, fields.seeds || "30", 2, 100);
  const keys = [...new Set(settings.map(({ drafter }) => drafter))];
  return { work: { type: "luck", ...commonWork(site, fields, keys), settings, seeds }, keys };
}

/** @param {SiteData} site @param {Words} words @param {Settings} fields @returns {LabRequest} */
function sweep(site, words, fields) {
  const listOf = (/** @type {string} */ label, /** @type {string} */ text, /** @type {number} */ most) => {
    const parts = [...new Set(text.split(/[,;\s]+/).filter(Boolean))];
    if (!parts.length || parts.length > most) throw refusal(site, label, text, "several", { most });
    return parts;
  };
  const keys = drafters(site, listOf(words.drafters, fields.drafters ?? words.first, 16));
  const ks = listOf(words.Ks, fields.Ks ?? words.first_Ks, 8).map((text) => wholeNumber(site, words.Ks, text, 1, 16));
  const turns = wholeNumber(site, words.turns, fields.turns || "3", 1, 10);
  const temperature = fields.temperature ?? words.first_temperature;
  const own = /** @type {Settings} */ ({
    ...fields,
    K: String(Math.min(...ks)),
    temperature,
    verifier: "",
    drafting: "",
  });
  const config = panelConfig(site, (name) => own[name]);
  const ran = /** @type {Settings} */ ({ prompt: fields.prompt, seed: String(config.seed) });
  return {
    work: { type: "sweep", ...commonWork(site, fields, keys), config, grid: { ks, turns } },
    keys,
    ran,
  };
}

/** @param {SiteData} site @param {Settings} fields @param {string[]} keys */
function commonWork(site, fields, keys) {
  return { target: site.target.name, drafts: draftsOf(site, keys), prompt: promptOf(fields.prompt ?? "", site) };
}

/** What drafts, as the engine takes it, by key. @param {SiteData} site @param {string[]} keys */
const draftsOf = (site, keys) =>
  Object.fromEntries(site.drafters.flatMap(({ key, draft }) => (keys.includes(key) ? [[key, draft]] : [])));

/** The settings of a run, without top-k and top-p; what `fieldOf` has no value for is as the engine has it.
 * @param {SiteData} site @param {(name: string) => string | undefined} fieldOf @returns {Config} */
function panelConfig(site, fieldOf) {
  const values = site.settings.map(({ key, default: initial }) => {
    const value = RUN_FIELDS.includes(key) ? fieldOf(key)?.trim() : "";
    return [key, value || initial];
  });
  return configOf(site, Object.fromEntries(values));
}

/** @param {SiteData} site @param {string[]} keys */
function drafters({ drafters, words }, keys) {
  const names = drafters.map(({ key }) => key);
  const foreign = keys.find((key) => !names.includes(key));
  if (foreign === undefined) return keys;
  throw new SettingError(valueRefusal(words.drafter, foreign, fillText(words.one_of, { names: names.join(", ") }), words));
}

/** @param {SiteData} site @param {string} label @param {string} text @param {number} low @param {number} high */
function wholeNumber(site, label, text, low, high) {
  const number = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(number >= low && number <= high)) throw refusal(site, label, text, "whole", { low, high });
  return number;
}

/** @param {SiteData} site @param {string} label @param {string} text @param {string} bound its sentence
 * @param {Record<string, number>} values */
const refusal = ({ words }, label, text, bound, values) =>
  new SettingError(valueRefusal(label, text, fillText(words[bound], values), words));

/**
 * @typedef {{ round: Round, people: DraftCounts, others: ({ key: string } & DraftCounts)[],
 * ended: PlayedRound["ended"] }} Scored
 */

const BYTES_PER_MB = 1e6;
const SMALL = "small"; // the drafter that plays against a person
const TOP_ENTRIES = 6; // of p and q that are shown at a place

/** What the panel and the game ask, each answered by a text of JSON. @param {SiteData} site
 * @param {Live} live @returns {GameServer & Pick<Server, "pieces">} */
export function people(site, live) {
  const target = site.target.name;
  const all = site.drafters.map(({ key }) => key).filter((key) => key !== "oracle");
  const { most, ...words } = site.people;
  let onStatus = (/** @type {string} */ _) => {};
  /** @type {ShowStatus} */
  const showStatus = (state, { message } = {}) => onStatus(state === "fetching" ? String(message) : "");
  /** @param {any} fields @param {"prompt" | "words"} name @param {boolean} further */
  async function tokensOf(fields, name, further) {
    const text = String(fields[name] ?? "");
    const bound = Number(words[`${name}_most`]);
    if (!text.trim()) throw new Error(words[`empty_${name}`]);
    if (text.length > bound) throw new Error(fillText(words[`long_${name}`], { characters: text.length, most: bound }));
    return /** @type {Token[]} */ (await live.resultOf({ type: "cut", target, text, further }, [], showStatus));
  }
  /** @param {any} fields */
  async function score(fields) {
    const guess = await tokensOf(fields, "words", true);
    if (guess.length > Number(most)) throw new Error(fillText(words.many, { tokens: guess.length, most }));
    const config = panelConfig(site, (name) => (name in fields ? String(fields[name]) : ""));
    const guesses = [guess.map(({ id }) => id)];
    /** @type {string[]} */
    const keys = all.filter((key) => (fields.others ?? all).includes(key));
    const drafts = draftsOf(site, keys);
    const work = { type: /** @type {const} */ ("score"), target, drafts, text: fields.text, guesses, config };
    const turn = /** @type {Scored} */ (await live.resultOf(work, keys, showStatus));
    onStatus("");
    return playedRound(turn, config.temperature === 0);
  }
  /** @param {Scored} scored @param {boolean} greedy @returns {PlayedRound} */
  function playedRound({ round, people, others, ended }, greedy) {
    const name = (/** @type {string} */ key) => site.drafters.find((one) => one.key === key)?.label ?? key;
    return {
      drafted: round.drafted.map(guessedToken),
      emitted: round.emitted.map((emitted) => addedToken(emitted, round)),
      people,
      others: others.map((other) => ({ ...other, name: name(other.key) })),
      ended,
      greedy,
    };
  }
  const refusal = (/** @type {unknown} */ error) => ({
    error: error instanceof Error ? error.message : site.words.lost,
  });
  const jsonAnswer = (/** @type {(fields: any) => Promise<unknown>} */ act) => async (/** @type {unknown} */ fields) =>
    JSON.stringify(await act(fields).catch(refusal));
  return {
    begin: jsonAnswer(async (fields) => ({ tokens: await tokensOf(fields, "prompt", false) })),
    pieces: jsonAnswer(async (fields) => ({ tokens: await tokensOf(fields, "words", true) })),
    score: jsonAnswer(score),
    note() {
      const bytes = live.missing([SMALL]);
      return bytes ? fillText(site.words.come, { megabytes: (bytes / BYTES_PER_MB).toFixed(0) }) : "";
    },
    hear(act) {
      onStatus = act;
    },
  };
}

/** @param {Drafted} drafted @returns {DraftToken} */
function guessedToken({ token, q, p, u, verdict, position }) {
  if (!position) return { token, q, p, u, verdict, place: null };
  const most = (/** @type {{ p: number, q: number | null }} */ entry) => Math.max(entry.p, entry.q ?? 0);
  const own = (/** @type {{ token: Token }} */ entry) => Number(entry.token.id === token.id);
  const entries = [...position.entries]
    .sort((a, b) => own(b) - own(a) || most(b) - most(a))
    .slice(0, TOP_ENTRIES)
    .map((entry) => ({ token: entry.token, p: entry.p, q: entry.q ?? 0 }))
    .sort((a, b) => b.q - a.q || b.p - a.p);
  const remainder = (/** @type {"p" | "q"} */ of) => entries.reduce((all, entry) => all - entry[of], 1);
  const rest = { p: Math.max(0, remainder("p")), q: Math.max(0, remainder("q")) };
  return { token, q, p, u, verdict, place: { entries, rest, beta: position.beta } };
}

/** With the chance that the token had where it was drawn. @param {Emitted} emitted @param {Round} round
 * @returns {EmittedToken} */
function addedToken({ token, role, position }, { residual }) {
  const same = (/** @type {{ token: Token }} */ entry) => entry.token.id === token.id;
  const residualChance = role === "corrected" ? residual?.entries.find(same)?.probability : undefined;
  const chance = role === "corrected" && residual ? residualChance : position?.entries.find(same)?.p;
  return { token, role, chance: chance ?? null };
}

/** @param {SiteData} site @param {Live} live
 * @param {(settings: Values) => void} useInWatch sets these in Watch and shows it */
export function openLab(site, live, useInWatch) {
  const { words, panels, recorded } = site;
  /** @type {Promise<LabFile>} */
  const file = text("lab.json", words.lost).then(JSON.parse);
  const experiments = makeExperiments(site, live, file);
  const { begin, pieces, score } = people(site, live);
  const server = {
    begin,
    pieces,
    score,
    measured: async () => (await file).answers.measured,
    recorded_luck: async () => (await file).answers.recorded_luck,
    recorded_sweep: async () => (await file).answers.recorded_sweep,
    recorded_run: async (/** @type {unknown} */ name) =>
      recorded.some((one) => one.name === name) ? (await recordedRun(String(name), site)).value : "",
  };
  const line = () => panelLine(site);
  const embed = { word: words.embed, copied: words.panel_copied, refused: words.embed_line, line };
  for (const key of panels) {
    query(document, "#lab-tab").append(el("div.lab-box", { id: `lab-${key}` }, el("section.lab-panel")));
  }
  const everything = async () => JSON.stringify((await file).sent);
  mountComponent(lab, "#lab", { opening: words.opening, lost: words.lost }, { server: { everything } });
  for (const key of panels) {
    const run = (/** @type {Settings} */ settings) => experiments.run(key, settings, update);
    const more = { server, run, stop: experiments.stop, take: useInWatch, embed, notice: linkNotice(key, site) };
    const update = mountComponent(labPanel, `#lab-${key}`, { panel: key }, more);
  }
}

/** What the address asks of a panel and only the app has, as one sentence; nothing where that is nothing.
 * @param {string} key of the panel @param {SiteData} site */
function linkNotice(key, site) {
  const parameters = new URLSearchParams(location.search);
  if (parameters.get("lab") !== key) return "";
  const lacking = [...parameters].flatMap(([name, value]) => {
    const field = name.replace(/^lab_(b_)?/, "");
    const values = field === "drafters" ? value.split(/[,;\s]+/).map((drafter) => ({ drafter })) : [{ [field]: value }];
    return values.flatMap((one) => fitting(site, one).lacking);
  });
  return problemSentence({ problems: [...new Set(lacking)].map((name) => fillText(site.words.app_only, { name })) }, site);
}

/** @param {SiteData} site @param {Live} live @param {Promise<LabFile>} file */
function makeExperiments(site, live, file) {
  let isStopped = false;
  return {
    stop() {
      isStopped = true;
      live.stop();
    },
    /** @param {string} key of the panel @param {Settings} fields @param {(value: string) => void} update */
    async run(key, fields, update) {
      const report = (/** @type {RunMessage} */ message) => update(JSON.stringify(message));
      isStopped = false;
      /** @type {unknown} */
      let last = null;
      report({ state: "running", done: 0, of: 1 });
      try {
        const { sent: lab, luck } = await file;
        const { words } = /** @type {LabFile["sent"]["panels"][number]} */ (lab.panels.find((one) => one.key === key));
        const { work, keys, ran } = readOrExplain(() => requestParsers[key](site, words, fields));
        const complete = (/** @type {unknown} */ result) =>
          key === "luck"
            ? { .../** @type {LuckResult} */ (result), sentence: sentence(/** @type {LuckResult} */ (result), luck) }
            : { .../** @type {object} */ (result), ran };
        const fetching = (/** @type {string} */ _, /** @type {Record<string, unknown>} */ values = {}) =>
          report({ state: "running", done: 0, of: 1, message: String(values.message) });
        const start = performance.now();
        const result = await live.resultOf(work, keys, fetching, (message) => {
          if (message.type !== "step") return;
          const { done, of } = message;
          if (message.result) last = complete(message.result);
          const seconds = ((performance.now() - start) / 1000 / done) * (of - done);
          report({ state: "running", done, of, left: seconds, ...(message.result ? { found: last } : {}) });
        });
        if (result) last = complete(result);
        report({ state: isStopped ? "stopped" : "done", found: last });
      } catch (error) {
        report({ state: "error", message: error instanceof Error ? error.message : site.words.lost, found: last });
      }
    },
  };
}
