// Where phones find a room.

const LOCAL = /^(localhost|127\.|\[?::1\]?$)/;

/**
 * This page's own address, or the machine's where this one is known to nobody else. `local`: phones have no address.
 * @param {string} code @param {string | null} lan
 */
export function linkTo(code, lan) {
  const here = new URL(`room/${code}`, location.origin + location.pathname);
  const local = LOCAL.test(here.hostname);
  if (local && lan) here.hostname = lan;
  return { link: here.href, local: local && !lan };
}
