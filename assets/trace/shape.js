// A value of JSON → the same with its defaults, if it has the shape that the trace's contract gives it
// (specviz/site/data.py, made from specviz/trace/events.py).

/** @import { Shapes, Type } from "./types.js" */

/** `field`: a path inside the value; the message says what belongs there. */
export class FieldError extends Error {
  /** @param {string} field @param {string} problem */
  constructor(field, problem) {
    super(field ? `${field}: ${problem}` : problem);
    this.field = field;
    this.problem = problem;
  }
}

/** @param {unknown} value a few characters of it */
export function excerpt(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/**
 * A record by its name. Raises FieldError.
 * @param {unknown} value @param {string} name @param {Shapes} shapes @param {string} [path]
 * @param {string[]} [beside] names that it may have beside its fields @returns {any}
 */
export function checkShape(value, name, shapes, path = "", beside = []) {
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
  if (typeof value !== "number" || (whole && !Number.isInteger(value)))
    throw wrong(whole ? "a whole number" : "a number");
  const most = high ?? Infinity;
  if (!(value >= low && value <= most) && !(zero && value === 0)) throw wrong(`from ${low} to ${most}`);
  return value;
}
