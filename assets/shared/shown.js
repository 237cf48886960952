// The run that Watch shows, for whoever else draws something of it.

/** @import { Picture } from "./types.js" */

/** @type {{ picture: Picture | null }} */
export const shown = { picture: null };
