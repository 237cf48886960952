// Shapes of a trace that was read, for the checker of types: its records are those of Python (fields.d.ts).

import type { Finished, Header, Prefill, Round, Times } from "./fields.js";

export type Type = { null?: boolean } & (
  | { is: "bool" }
  | { is: "text"; most: number | null }
  | { is: "one"; of: string[] }
  | { is: "list"; of: Type }
  | { is: "record"; name: string }
  | { is: "int" | "float"; low: number; high: number | null; zero?: boolean }
);

/** By record: its fields, each with its type and, where it may be left out, its default. */
export type Shapes = Record<string, [name: string, type: Type, initial?: unknown][]>;

/** What the reader knows of traces, from Python. */
export type Contract = { shapes: Shapes; limits: { file: number; line: number; lines: number } };

/** What a round took, also of an engine that feeds nothing again. */
export type PhaseTimes = Omit<Times, "replay" | "observe">;

export type Event = Prefill | Round | Finished;
export type Trace = Record<LaneName, Event[]> & { header: Header };
export type LaneName = "vanilla" | "speculative";
export type * from "./fields.js";
export type { DecodeConfig as Config } from "./fields.js";
