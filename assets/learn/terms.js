// The glossary as a page of its own, over the chapter.

import { glossary } from "../shared/glossary.js";
import { openDialog } from "./dialog.js";
import { PAGE } from "./lesson.js";

/** @param {HTMLElement} root */
export const terms = (root) => openDialog(root, PAGE.glossary, glossary());
