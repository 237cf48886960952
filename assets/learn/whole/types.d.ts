// What the chapter is drawn from (specviz/page/learn/chapters/whole.py), for the checker of types.

export type * from "../types.js";

export interface Whole {
  K: number;
  length: number;
}
