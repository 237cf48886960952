// Shapes of the Lab, for the checker of types: what its frame gives a panel (PanelContext), and what a panel gives back (Drawn).

import type { PanelKey } from "../shared/keys.js";
import type { Child, Mount } from "../shared/types.js";

/** What Python says of a panel (specviz/page/lab/panel.py). */
export interface PanelWords {
  key: string;
  /** what links of earlier versions call it */
  formerly: string;
  short: string;
  title: string;
  answers: string;
  words: Words;
  exercise: { task: string[]; key: string[] };
  runs: boolean;
  /** names of words: what cannot be chosen where the page decodes for itself */
  absent?: string[];
}

/** All that comes when the tab is first opened (specviz/page/lab/tab.py). */
export type LabData = { script: string; style: string; panels: PanelWords[]; page: Record<string, string> };

/** What the script of the Lab exports. */
export type Lab = typeof import("./tab.js");

export interface FrameMount extends Mount<{ opening: string; lost: string }> {
  server: { everything(request: string): Promise<string> };
}

/** Python's functions of a panel, by name. */
export type Server = Record<string, (request?: unknown) => Promise<string>>;

export interface PanelMount extends Mount<{ panel: string }> {
  server: Server;
  run(settings: Settings): void;
  stop(): void;
  take(settings: Settings): void;
  embed?: Embed;
  /** one sentence that stands in the panel at first */
  notice?: string;
}

/** Where a panel can stand in another page: the line that shows it there as the address has it now, and what is said of it. */
export type Embed = { word: string; copied: string; refused: string; line(): string };

/** What a link carries, by name, as it stands there. */
export type Settings = Record<string, string>;

/** Of a panel, whichever. */
export type Words = Record<PanelKey, string>;

/** What a panel is given. */
export interface PanelContext {
  words: Words;
  /** What can be chosen here, by the rest of the names of words that begin alike. */
  options(prefix: string): Record<string, string>;
  /** Whether `startRun` leads to anything: not where nothing decodes for the panel, as on the site. */
  runs: boolean;
  /** What the address asked for when the panel was first seen: from anybody, so each value is checked. */
  linkSettings: Settings;
  server: Server;
  /** From now on the address, and a copied link, say this. */
  updateLink(settings: Settings): void;
  /** Begin what Python runs; what it finds comes to `PanelView.showResult`. */
  startRun(settings: Settings): void;
  /** Set these in Watch, by the names of its links, and show it. */
  openInWatch(settings: Settings): void;
  /** One sentence about what is there now, heard too. */
  announce(sentence: string): void;
  /** How far something in the page is; null: it is over. */
  showProgress(done: number | null, of?: number, left?: number | null): void;
  /** How wide the picture is, in px of a drawing with text of 14: on a projector they are larger. */
  width(): number;
}

/** What a panel is made of. Only `picture` must be. */
export interface PanelView {
  /** Fields and buttons, in a row. */
  controls?: Child;
  picture: HTMLElement;
  numbers?: Child;
  /** Once all of it stands on the page, for the first time. */
  onMount?(): void;
  /** Buttons beside Run. */
  moreButtons?: [word: string, act: () => void][];
  /** What Run does. */
  run?(): void;
  /** What Stop does, beside stopping what Python runs. */
  stop?(): void;
  /** All that Python has found so far; `over`: there will be no more. */
  showResult?(result: unknown, over: boolean): void;
  /** An address was followed to the panel as it stands: what it asks for. */
  followLink?(settings: Settings): void;
  /** Each time that the panel comes onto the screen, and when its width changes. */
  draw?(): void;
  /** What CSV saves: the names of the columns, then rows. */
  table?(): (string | number | null)[][] | null;
  /** What PNG saves. */
  chart?(): SVGSVGElement | null;
}

export type MakePanel = (context: PanelContext) => PanelView;

/** What Python says while it runs (specviz/page/lab/tab.py). */
export interface RunMessage {
  state: "waiting" | "running" | "done" | "stopped" | "error";
  before?: number;
  seconds?: number | null;
  done?: number;
  of?: number;
  left?: number | null;
  found?: unknown;
  message?: string;
}

/** A panel on the page: its box, what Python says of it, and its view once it was seen. */
export type MountedPanel = { mount: PanelMount; panel: PanelWords; view: PanelView | null; settings: Settings };

/** The tab: all that is shown of it is drawn from this. */
export interface Tab {
  root: HTMLElement;
  data: LabData;
  panels: Map<string, MountedPanel>;
  currentKey: string;
  visible: boolean;
}
