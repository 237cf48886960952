// What a server's slowness is judged by (specviz/page/learn/chapters/busy.py), for the checker of types.

export type Cause = { key: string; by: string; possible: number; likely: number; cause: string; measure: string };

export interface Slow {
  words: Record<string, string>;
  models: Record<string, string>;
  causes: Cause[];
  operations: number;
  experts: number;
  chosen: number;
}

/** `accepted`: of the drafted tokens, from 0 to 1; `texts`: requests at once; `model`: a key of `models`. */
export type Answers = { accepted: number; K: number; texts: number; model: string };
