// The site without a connection: a service worker that keeps files of this one site and asks nobody else. Models are kept
// by their hash, all else by the version of the site, so that a new site fetches no model again that it has in common with
// the one before.
// `site(first, all, version, models)` is called at the end of the file that specviz/site/build.py makes of it.

/** @param {string[]} first what a visit needs, kept at once
 * @param {string[]} all what may be kept when it was asked for: so no more is ever kept than the site has
 * @param {string} version of all files @param {Record<string, string>} models SHA-256 in hex, by file */
export function site(first, all, version, models) {
  const worker = /** @type {any} */ (globalThis);
  const base = new URL("./", worker.location.href).href;
  const [name, modelsName] = [`${base} ${version}`, `${base} models`];
  const own = new Set(all.map((path) => base + path));
  const hashes = new Map(Object.entries(models).map(([path, hash]) => [base + path, hash]));
  worker.addEventListener("install", (/** @type {any} */ event) => {
    const fresh = first.map((path) => new Request(base + path, { cache: "no-cache" }));
    event.waitUntil(caches.open(name).then((cache) => cache.addAll(fresh)));
    worker.skipWaiting();
  });
  worker.addEventListener("activate", (/** @type {any} */ event) => {
    event.waitUntil(Promise.all([deleteOld(), deleteUnnamed()]).then(() => worker.clients.claim()));
  });
  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const { origin, pathname } = new URL(event.request.url);
    const path = origin + pathname;
    if (event.request.method === "GET" && own.has(path)) event.respondWith(answerRequest(path, event));
  });

  async function deleteOld() {
    const isOld = (/** @type {string} */ other) => other.startsWith(`${base} `) && other !== name && other !== modelsName;
    await Promise.all((await caches.keys()).filter(isOld).map((other) => caches.delete(other)));
  }

  /** Models that the site no longer has. */
  async function deleteUnnamed() {
    const cache = await caches.open(modelsName);
    const named = new Set([...hashes].map(([path, hash]) => `${path}?${hash}`));
    await Promise.all((await cache.keys()).filter(({ url }) => !named.has(url)).map((one) => cache.delete(one)));
  }

  /** @param {string} path @param {any} event */
  async function answerRequest(path, event) {
    const hash = hashes.get(path);
    const [cache, key] = hash ? [await caches.open(modelsName), `${path}?${hash}`] : [await caches.open(name), path];
    const stored = await cache.match(key);
    if (stored) return stored;
    const response = await fetch(hash ? new Request(path, { cache: "no-cache" }) : event.request);
    // the assistant's reader keeps its parts (engine/assistant.js): here each would take three times its memory
    const isPart = hash && path.startsWith(`${base}assistant/`);
    // where there is no room, it is fetched again another time
    if (response.ok && response.status === 200 && !isPart)
      event.waitUntil(keep(cache, key, response.clone(), hash).catch(() => {}));
    return response;
  }

  /** @param {Cache} cache @param {string} key @param {Response} response @param {string} [hash] that it must have */
  async function keep(cache, key, response, hash) {
    if (hash && (await sha256(await response.clone().arrayBuffer())) !== hash) return; // of another version of the site
    await cache.put(key, response);
  }
}

/** @param {ArrayBuffer} data */
async function sha256(data) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
