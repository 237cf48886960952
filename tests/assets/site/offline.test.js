// The service worker of the site, on caches and a server that are maps.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { site } from "../../../assets/site/offline.js";

const BASE = "http://127.0.0.1/s/";
const hash = (text) => createHash("sha256").update(text).digest("hex");
const urlOf = (one) => one.url ?? one;

/** @type {Map<string, Map<string, Response>>} */
const kept = new Map();
const keysOf = () => [...kept.values()].flatMap((files) => [...files.keys()]);
let files = {};
let fetched = [];
globalThis.location = { href: `${BASE}sw.js` };
globalThis.clients = { claim() {} };
globalThis.skipWaiting = () => {};
globalThis.fetch = async (request) => {
  const name = urlOf(request).replace(BASE, "");
  fetched.push(name);
  return new Response(files[name]);
};
globalThis.caches = {
  keys: async () => [...kept.keys()],
  delete: async (name) => kept.delete(name),
  async open(name) {
    if (!kept.has(name)) kept.set(name, new Map());
    const own = kept.get(name);
    return {
      addAll: async (all) => all.forEach((one) => void own.set(urlOf(one), new Response(files[one.url.replace(BASE, "")]))),
      match: async (key) => own.get(key)?.clone(),
      put: async (key, response) => void own.set(key, response),
      keys: async () => [...own.keys()].map((url) => ({ url })),
      delete: async (one) => own.delete(urlOf(one)),
    };
  },
};

/** A version of the site is installed, and its visitor asks for all `models`. @param {Record<string, string>} models */
async function visit(version, models, served = models) {
  files = { "": `page ${version}`, ...served };
  fetched = [];
  const listeners = {};
  globalThis.addEventListener = (name, act) => void Object.assign(listeners, { [name]: act });
  const hashes = Object.fromEntries(Object.entries(models).map(([name, text]) => [name, hash(text)]));
  site([""], ["", ...Object.keys(models)], version, hashes);
  const answers = [];
  const work = [];
  const waitUntil = (promise) => void work.push(promise);
  for (const name of ["install", "activate"]) {
    listeners[name]({ waitUntil });
    await Promise.all(work);
  }
  for (const name of Object.keys(models))
    listeners.fetch({ request: new Request(BASE + name), waitUntil, respondWith: (answer) => void answers.push(answer) });
  const texts = await Promise.all(answers.map(async (answer) => (await answer).text()));
  await Promise.all(work);
  return texts;
}

test("a new site keeps the models that it has in common with the one before, and deletes those that it lacks", async () => {
  const [one, two, three] = ["models/one", "models/two", "models/three"];
  await visit("1", { [one]: "a", [two]: "b" });
  assert.deepEqual(fetched, [one, two]);
  assert.deepEqual(await visit("2", { [one]: "a", [three]: "c" }), ["a", "c"]);
  assert.deepEqual(fetched, [three]);
  assert.deepEqual(await visit("3", { [one]: "other", [three]: "c" }), ["other", "c"]);
  assert.deepEqual(fetched, [one]);
  const wanted = [BASE, `${BASE}${one}?${hash("other")}`, `${BASE}${three}?${hash("c")}`];
  assert.deepEqual(keysOf().sort(), wanted.sort());
});

test("a model that is not the one that the site names is given on and not kept", async () => {
  kept.clear();
  assert.deepEqual(await visit("1", { "models/one": "a" }, { "models/one": "of a newer site" }), ["of a newer site"]);
  assert.deepEqual(keysOf(), [BASE]);
});

test("a part of the assistant is given on; who reads it keeps it, and it is found there", async () => {
  kept.clear();
  const part = "assistant/0123456789abcdef.bin";
  assert.deepEqual(await visit("1", { [part]: "a" }), ["a"]);
  assert.deepEqual(keysOf(), [BASE]);
  await (await caches.open(`${BASE} models`)).put(`${BASE}${part}?${hash("a")}`, new Response("a"));
  assert.deepEqual(await visit("2", { [part]: "a" }), ["a"]);
  assert.deepEqual(fetched, []);
});
