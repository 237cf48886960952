// Where phones find a room and a class finds this page, and what a teacher's browser keeps of its room.

import { ROOM, readStored, writeStored } from "./store.js";

/** @import { OpenRoom, OpenedRoom, StoredRoom } from "../poll/types.js" */

const LOCAL = /^(localhost|127\.|\[?::1\]?$)/;

/** This machine's address in its network, as the server says it (specviz/page/serve.py). @returns {string | null} */
const lanAddress = () => document.querySelector("meta[name=specviz-lan]")?.getAttribute("content") ?? null;

/**
 * An address as others have to write it: with the machine's own in its network, where this page is open at one that is
 * known to nobody else. `local`: they have no address.
 * @param {string} href
 */
function reachable(href) {
  const lan = lanAddress();
  if (!URL.canParse(href, location.href)) return { link: href, local: true }; // in a frame that has no address
  const url = new URL(href, location.href);
  const local = LOCAL.test(url.hostname);
  if (local && lan) url.hostname = lan;
  return { link: url.href, local: local && !lan };
}

/** A link of this page, as it is passed on. @param {string} href */
export const sharedLink = (href) => reachable(href).link;

/** Where a class opens this page, without what a browser adds by itself; empty where only this machine reaches it. */
export function pageAddress() {
  const { link, local } = reachable(location.pathname);
  return local ? "" : link.replace(/^https?:\/\/|\/$/g, "");
}

/** A room that the server has just opened. @param {OpenedRoom} opened @returns {OpenRoom} */
export const openedRoom = ({ code, key, left }) => ({
  code,
  key,
  ...reachable(`room/${code}`),
  until: Date.now() + 1000 * left,
});

const roomKey = () => `${ROOM} ${location.pathname}`;

/** @type {StoredRoom | null} of a browser that keeps nothing */
let unstored = null;

/** The room that was opened in this browser, its key too, as long as it may last. A tab that was closed finds it again. */
export function readRoom() {
  /** @type {StoredRoom | null} */
  const stored = readStored(roomKey()) ?? unstored;
  return stored && Date.now() < stored.room.until ? stored : null;
}

/** @param {StoredRoom} stored */
export function writeRoom(stored) {
  unstored = writeStored(roomKey(), stored) ? null : stored;
}

/** A room that has ended; another one that was opened since is kept. @param {string} code */
export function forgetRoom(code) {
  if (readRoom()?.room.code !== code) return;
  unstored = null;
  writeStored(roomKey(), null);
}

/** Whether the room's code is shown, in every tab of this browser. @param {boolean} on */
export function showCode(on) {
  const stored = readRoom();
  if (stored) writeRoom({ ...stored, codeClosed: !on });
}
