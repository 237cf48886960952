import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { copyLink, decodeHere, query, siteQuery } from "../../../assets/keep/link.js";

const NAMES = ["prompt", "K", "adaptive", "stop"];
const PLAIN = { adaptive: false, stop: "" };

test("a link names what differs from a plain page, zero and false where they are no default", () => {
  assert.equal(String(query(NAMES, ["a & b", 0, false, ""], PLAIN, "")), "prompt=a+%26+b&K=0");
  assert.equal(
    String(query(NAMES, [null, 3, true, "\n"], PLAIN, "opening")),
    "recorded=opening&K=3&adaptive=true&stop=%0A",
  );
});

test("the site takes the prompt and the settings, and the drafter of its own models only", () => {
  const [names, plain] = [["prompt", "models", "drafter", "K"], { models: "fable" }];
  assert.equal(String(siteQuery(names, plain, ["Two birds", "fable", "mtp", 2])), "prompt=Two+birds&drafter=mtp&K=2");
  assert.equal(String(siteQuery(names, plain, ["Two birds", "assistant", "eagle", 2])), "prompt=Two+birds&K=2");
});

test("a prompt that is too long for a link opens no site", () => {
  const opened = [];
  globalThis.open = (link) => void opened.push(String(link));
  const state = (prompt) => JSON.parse(decodeHere(["prompt"], {}, 100, [prompt])).state;
  assert.deepEqual([state("Two birds"), state("x".repeat(100))], [undefined, "long"]);
  assert.deepEqual(opened, ["http://127.0.0.1/site/?prompt=Two+birds"]);
});

test("the link is copied, or given to be copied by hand, or too long to be one", async () => {
  const copied = [];
  const link = async (prompt, recorded, writeText) => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    return JSON.parse(await copyLink(NAMES, PLAIN, 100, [prompt, 3, false, "", recorded]));
  };
  const { state } = await link("x", "opening", async (text) => void copied.push(text));
  assert.deepEqual([state, copied], ["copied", ["http://127.0.0.1/?recorded=opening&prompt=x&K=3"]]);
  const refuses = () => Promise.reject(new Error("no"));
  assert.deepEqual(await link("x", "", refuses), { state: "refused", link: "http://127.0.0.1/?prompt=x&K=3" });
  assert.deepEqual(await link("x".repeat(100), "", refuses), { state: "long" });
});
