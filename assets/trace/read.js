// A trace from bytes of anybody (specviz/trace/file.py): whole, unchanged since it was sealed, each field of its type,
// its sums right. A value of JSON has the shape that the trace's contract gives it (specviz/site/data.py, made from
// specviz/trace/events.py).

import { RULES } from "../rules/all.js";
import { isExact, LANES, sha256, TAG } from "./events.js";
import { firstViolation } from "./grammar.js";

/** @import { Contract, Event, Header, LaneName, Shapes, Trace, Type } from "./types.js" */

/** `field`: a path inside the value; the message says what belongs there. */
class FieldError extends Error {
  /** @param {string} field @param {string} problem */
  constructor(field, problem) {
    super(field ? `${field}: ${problem}` : problem);
    this.field = field;
    this.problem = problem;
  }
}

/** @param {unknown} value a few characters of it */
function excerpt(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** A record by its name. Raises FieldError. @param {unknown} value @param {string} name @param {Shapes} shapes
 * @param {string} [path] @param {string[]} [beside] names that it may have beside its fields @returns {any} */
function checkShape(value, name, shapes, path = "", beside = []) {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new FieldError(path, `must be an object, found ${excerpt(value)}`);
  const record = /** @type {Record<string, unknown>} */ (value);
  const fields = shapes[name];
  const at = (/** @type {string} */ field) => (path ? `${path}.${field}` : field);
  for (const field of Object.keys(record))
    if (!beside.includes(field) && !fields.some(([own]) => own === field))
      throw new FieldError(at(excerpt(field).slice(1, -1)), "is no field of this line");
  const entries = fields.map(([field, type, ...initial]) => {
    if (Object.hasOwn(record, field)) return [field, checkValue(record[field], type, shapes, at(field))];
    if (!initial.length) throw new FieldError(at(field), "is missing");
    return [field, initial[0]];
  });
  return Object.fromEntries(entries);
}

/** @param {unknown} value @param {Type} type @param {Shapes} shapes @param {string} path @returns {unknown} */
function checkValue(value, type, shapes, path) {
  if (type.null && value === null) return null;
  const wrong = (/** @type {string} */ what) => new FieldError(path, `must be ${what}, found ${excerpt(value)}`);
  switch (type.is) {
    case "text":
      if (typeof value !== "string") throw wrong("a text");
      if (type.most && value.length > type.most && [...value].length > type.most)
        throw wrong(`a text of at most ${type.most} characters`);
      return value;
    case "bool":
      if (typeof value !== "boolean") throw wrong("true or false");
      return value;
    case "one":
      if (!type.of.includes(/** @type {string} */ (value))) throw wrong(`one of ${type.of.join(", ")}`);
      return value;
    case "list":
      if (!Array.isArray(value)) throw wrong("a list");
      return value.map((each, i) => checkValue(each, type.of, shapes, `${path}[${i}]`));
    case "record":
      return checkShape(value, type.name, shapes, path);
    default:
      return checkNumber(value, type, wrong);
  }
}

/** @param {unknown} value
 * @param {Extract<Type, { is: "int" | "float" }>} type @param {(what: string) => Error} wrong */
function checkNumber(value, { is, low, high, zero }, wrong) {
  const whole = is === "int";
  if (typeof value !== "number" || (whole && !Number.isInteger(value))) throw wrong(whole ? "a whole number" : "a number");
  const most = high ?? Infinity;
  if (!(value >= low && value <= most) && !(zero && value === 0)) throw wrong(`from ${low} to ${most}`);
  return value;
}

/** The bytes are no trace; the message says which line and field, and what belongs there. */
export class TraceError extends Error {}

/** @param {number | null} line @param {string} field @param {string} problem */
function traceError(line, field, problem) {
  const where = line === null ? "trace" : `line ${line}`;
  return new TraceError(`${where}${field ? `, ${field}` : ""}: ${problem}`);
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {Contract} contract @returns {Promise<Trace>} */
export async function readTrace(bytes, contract) {
  const { limits } = contract;
  if (bytes.length > limits.file) throw traceError(null, "", `the file has ${bytes.length} bytes; the limit is ${limits.file}`);
  const lines = linesOf(bytes, limits);
  const last = lines.pop() ?? "";
  checkVersion(lines[0] ?? last);
  const end = lines.length + 1;
  if (!last.startsWith('{"event":"end",'))
    throw traceError(end, "", "the last line of the trace is missing: the file was cut short, or it is too long");
  await checkSeal(bytes, last, lines.length, end);
  const header = /** @type {Header} */ (
    lineOf(1, lines[0], (value) => {
      if (value.event !== "header") throw new FieldError("event", "must be header");
      return checkShape(value, "Header", contract.shapes, "", ["format", "version", "event"]);
    })
  );
  checkHeader(header);
  /** @type {Record<LaneName, [number, Event][]>} */
  const lanes = { vanilla: [], speculative: [] };
  for (const [i, line] of lines.slice(1).entries()) {
    const [lane, event] = lineOf(i + 2, line, (value) => eventOf(value, contract));
    lanes[lane].push([i + 2, event]);
  }
  if (!LANES.some((lane) => lanes[lane].length)) throw traceError(end, "event", "no lane is in it; a trace has at least one");
  for (const lane of LANES) {
    const events = lanes[lane].map(([, event]) => event);
    for (const [line, event] of lanes[lane]) checkTokens(event, header, line);
    const violation = firstViolation(lane, events, header);
    if (violation) throw traceError(lanes[lane][violation.at][0], violation.field, violation.problem);
  }
  const [vanilla, speculative] = LANES.map((lane) => lanes[lane].map(([, event]) => event));
  return { header, vanilla, speculative };
}

/** @param {Uint8Array} bytes @param {Contract["limits"]} limits @returns {string[]} */
function linesOf(bytes, limits) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw traceError(1, "", "this is not a specviz trace");
  }
  const lines = text.split("\n", limits.lines + 1);
  if (lines.length > limits.lines) throw traceError(null, "", `more than ${limits.lines} lines are too many`);
  const long = lines.findIndex((line) => line.length > limits.line);
  if (long >= 0) throw traceError(long + 1, "", `is longer than ${limits.line} bytes`);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** @param {string} line */
function checkVersion(line) {
  let tag = null;
  try {
    tag = JSON.parse(line);
  } catch {
    // no JSON is no trace either
  }
  if (tag?.format !== TAG.format) throw traceError(1, "", "this is not a specviz trace");
  if (tag.version !== TAG.version)
    throw traceError(1, "version", `is ${excerpt(tag.version)}; this specviz reads only version ${TAG.version}`);
}

/** The seal finds damage. A page that did not come by https has nothing to reckon it with: there lines are counted.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {string} last @param {number} lines @param {number} end */
async function checkSeal(bytes, last, lines, end) {
  const seal = /^\{"event":"end","lines":(\d+),"sha256":"([0-9a-f]{64})"\}$/.exec(last);
  const length = new TextEncoder().encode(last).length + 1;
  const sealed = bytes[bytes.length - 1] === 10 ? bytes.subarray(0, bytes.length - length) : null;
  let same = Boolean(seal && sealed && Number(seal[1]) === lines);
  if (same && sealed && globalThis.crypto?.subtle) same = seal?.[2] === (await sha256(sealed));
  if (!same) throw traceError(end, "sha256", "does not match: the file was changed after it was saved");
}

/** @template Value @param {number} number @param {string} line @param {(value: any) => Value} read @returns {Value} */
function lineOf(number, line, read) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw traceError(number, "", "this is not JSON");
  }
  try {
    return read(value ?? {});
  } catch (error) {
    if (error instanceof FieldError) throw traceError(number, error.field, error.problem);
    if (error instanceof RangeError) throw traceError(number, "", "its values lie too deep");
    throw error;
  }
}

/** @type {Record<string, string>} */
const KINDS = { prefill: "Prefill", round: "Round", finished: "Finished" };

/** @param {any} value @param {Contract} contract @returns {[LaneName, Event]} */
function eventOf(value, { shapes }) {
  if (!Object.hasOwn(KINDS, value.event)) throw new FieldError("event", `must be ${Object.keys(KINDS).join(", ")}`);
  if (!LANES.includes(value.lane)) throw new FieldError("lane", `must be ${LANES.join(" or ")}`);
  return [value.lane, { event: value.event, ...checkShape(value, KINDS[value.event], shapes, "", ["event", "lane"]) }];
}

/** Each token is one of the target's vocabulary, where that is told. @param {Event} event @param {Header} header
 * @param {number} line */
function checkTokens(event, { target: { vocabulary } }, line) {
  if (!vocabulary) return;
  const { prompt = [], drafted = [], emitted = [] } = /** @type {any} */ (event.event === "finished" ? {} : event);
  /** @type {[string, any[]][]} */
  const lists = [
    ["prompt", prompt.map((/** @type {unknown} */ token) => ({ token }))],
    ["drafted", drafted],
    ["emitted", emitted],
  ];
  for (const [name, list] of lists) {
    const at = list.findIndex(({ token }) => token.id >= vocabulary);
    if (at < 0) continue;
    const path = name === "prompt" ? `${name}[${at}].id` : `${name}[${at}].token.id`;
    throw traceError(line, path, `must be below ${vocabulary}, the target's vocabulary`);
  }
}

/** @param {Header} header */
function checkHeader(header) {
  if (Number.isNaN(Date.parse(header.created)))
    throw traceError(1, "created", `must be an ISO 8601 date and time, found ${excerpt(header.created)}`);
  const follows = isExact(header.config, RULES);
  const claim = header.exact;
  if (claim !== null && claim !== follows && (claim || header.engine === "specviz"))
    throw traceError(1, "exact", `must be ${follows} by the settings: ${header.config.verifier}, K = ${header.config.K}`);
}
