// Shapes of a chart, for the checker of types.

/** A mark beside an axis. `strong`: its text is bold. */
export type Tick = { value: number; text: string; strong?: boolean };

/** `place`: a value's share of the axis, 0 at its first end. `ends`: both ends, as a person reads them; null on names. */
export interface Axis {
  name: string;
  ends: [string, string] | null;
  ticks: Tick[];
  place(value: number): number;
  /** Lines across the plot at its ticks. */
  lines: boolean;
  /** Its first end is at the top, if it goes up and down. */
  down: boolean;
  /** Its names stand over what they name, in the plot. */
  inside: boolean;
  /** It stands over the plot, if it goes across. */
  over: boolean;
}

/** Where values are drawn, in px. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
  x(value: number): number;
  y(value: number): number;
}

/** What a chart draws of some values. `sentences`: a sentence each, for who does not see it. */
export type Mark = { draw(plot: Plot): (SVGElement | null)[]; sentences?: string[] };

/** What a colour or a sign means. The sign is 14 px wide, its middle at y = 0. */
export type Key = { sign: SVGElement; word: string };

/** One pair of axes and what is drawn between them. `frame`: all of it, in px; `margin`: other ones than its texts need. */
export interface Plane {
  frame: { x: number; y: number; width: number; height: number };
  margin?: Partial<Record<"left" | "right" | "top" | "bottom", number>>;
  title?: string;
  /** Under the title, in as many lines as it needs. */
  caption?: string;
  keys?: Key[];
  x: Axis;
  y: Axis;
  marks: Mark[];
}

/** How a mark looks: `series` is its colour , `kind` all else (figures/figures.css). */
export type Look = { series?: string; kind?: string };

export type Point = { x: number; y: number; title?: string };
