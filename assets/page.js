// The page's one script, as window.specviz: what each component of the page is mounted with (specviz/page/look.py).

export { know } from "./shared/words.js";
