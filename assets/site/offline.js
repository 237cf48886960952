// The site without a connection: a service worker that keeps files of this one site, of this one version, and asks
// nobody else. `site(first, all, version)` is called at the end of the file that specviz/site/build.py makes of it.

/** @param {string[]} first what a visit needs, kept at once
 * @param {string[]} all what may be kept when it was asked for: so no more is ever kept than the site has
 * @param {string} version of all files */
export function site(first, all, version) {
  const worker = /** @type {any} */ (globalThis);
  const base = new URL("./", worker.location.href).href;
  const [name, own] = [`${base} ${version}`, new Set(all.map((path) => base + path))];
  worker.addEventListener("install", (/** @type {any} */ event) => {
    const fresh = first.map((path) => new Request(base + path, { cache: "no-cache" }));
    event.waitUntil(caches.open(name).then((cache) => cache.addAll(fresh)));
    worker.skipWaiting();
  });
  worker.addEventListener("activate", (/** @type {any} */ event) => {
    const isOld = (/** @type {string} */ other) => other.startsWith(`${base} `) && other !== name;
    const deleteOld = async () => Promise.all((await caches.keys()).filter(isOld).map((other) => caches.delete(other)));
    event.waitUntil(deleteOld().then(() => worker.clients.claim()));
  });
  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const { origin, pathname } = new URL(event.request.url);
    const path = origin + pathname;
    if (event.request.method === "GET" && own.has(path)) event.respondWith(answerRequest(path, event.request));
  });

  /** @param {string} path @param {Request} request */
  async function answerRequest(path, request) {
    const cache = await caches.open(name);
    const stored = await cache.match(path);
    if (stored) return stored;
    const response = await fetch(request);
    // where there is no room, it is fetched again another time
    if (response.ok && response.status === 200) cache.put(path, response.clone()).catch(() => {});
    return response;
  }
}
