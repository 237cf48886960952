// Shapes of a plot, for the checker of types.

import type { Entry } from "../shared/types.js";

/** p, q, and s: the draft's own softmax, where its largest token was drafted. */
export type Series = "p" | "q" | "s";

/**
 * A position of a run. `series`: what has bars; `columns`: what has a number; `rest`: what all other tokens come to;
 * `chosen`: the id of the token in question.
 */
export interface Distribution {
  series: Series[];
  columns: Series[];
  rows: Entry[];
  rest: { p: number; q: number | null; s?: number };
  chosen: number;
}

/** What is used of Plotly's script. */
export interface PlotlyScript {
  react(node: HTMLElement, data: object[], layout: object, config: object): Promise<unknown>;
  purge(node: HTMLElement): void;
}

/** Colours of the page, as CSS has them, and the names of its fonts. */
export type Look = Record<"ink" | "muted" | "rule" | "page" | "target" | "draft" | "bonus" | "font", string>;

/** What Plotly draws: its traces and its layout. `log`: the axis of probabilities is logarithmic. */
export type Draw = (look: Look, log: boolean) => { data: object[]; layout: Record<string, unknown> };

/** A plot. `note`: under the title; `label`: what is heard of it; `file`: the name of its picture, without an ending. */
export interface Plot {
  title: string;
  note: string;
  label: string;
  file: string;
  hasLog: boolean;
  draw: Draw;
}
