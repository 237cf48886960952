import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { copyLink, query, siteQuery } from "../../../assets/keep/link.js";

const NAMES = ["prompt", "K", "adaptive", "stop"];
const PLAIN = { adaptive: false, stop: "" };

/**
 * A page at an address, whose clipboard takes a text or does not.
 * @param {(text: string) => Promise<void>} writeText
 */
function page(writeText) {
  const here = { location: { origin: "http://here", pathname: "/app" }, navigator: { clipboard: { writeText } } };
  for (const [name, value] of Object.entries(here))
    Object.defineProperty(globalThis, name, { value, configurable: true });
}
const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
afterEach(() => {
  if (before) Object.defineProperty(globalThis, "navigator", before);
});

test("a link names what differs from a plain page, zero and false where they are no default", () => {
  assert.equal(String(query(NAMES, ["a & b", 0, false, ""], PLAIN, "")), "prompt=a+%26+b&K=0");
  assert.equal(
    String(query(NAMES, [null, 3, true, "\n"], PLAIN, "opening")),
    "recorded=opening&K=3&adaptive=true&stop=%0A",
  );
});

test("the site takes the prompt of its own models only, and all other settings", () => {
  const [names, plain] = [["prompt", "models", "drafter", "K"], { models: "fable" }];
  assert.equal(String(siteQuery(names, plain, ["Two birds", "fable", "mtp", 2])), "prompt=Two+birds&drafter=mtp&K=2");
  assert.equal(String(siteQuery(names, plain, ["What is 2 + 2?", "assistant", "eagle", 2])), "K=2");
});

test("the link is copied, or given to be copied by hand, or too long to be one", async () => {
  /** @type {string[]} */
  const copied = [];
  page(async (text) => void copied.push(text));
  const told = JSON.parse(await copyLink(NAMES, PLAIN, 100, ["x", 3, false, "", "opening"]));
  assert.deepEqual([told.state, copied], ["copied", ["http://here/app?recorded=opening&prompt=x&K=3"]]);
  page(() => Promise.reject(new Error("no")));
  const refused = JSON.parse(await copyLink(NAMES, PLAIN, 100, ["x", 3, false, "", ""]));
  assert.deepEqual(refused, { state: "refused", link: "http://here/app?prompt=x&K=3" });
  const long = JSON.parse(await copyLink(NAMES, PLAIN, 100, ["x".repeat(100), 3, false, "", ""]));
  assert.deepEqual(long, { state: "long" });
});
