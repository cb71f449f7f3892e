// The types that the table page's modules share. Cards are codes: "TS", "RJ", "RJ=5C" for a joker in the place of a
// card.

/** Visible card elements by key: `TS#0`, or `stock@0` for a face-down one. */
type Cards = Map<string, Found>;

type Child = Node | string | null | undefined | false;
type El = (what: string, properties?: Record<string, unknown>, ...children: Child[]) => Found;

/** A player in the page's store: whether they are here may still be unknown. */
type SeatedPlayer = Omit<Player, "online"> & { online: boolean | null };

/** The end of something limited, by `performance.now()`; null without a limit. */
interface Ending {
  end: number | null;
}

/** What the server has sent about the match. */
interface Store<F = Facts> {
  clock: ClockRules | null;
  clocks: SeatClock[];
  version: number;
  /** Counts changes that aren't moves: who sits where, an early end, a rematch. */
  seating_epoch: number;
  card: number | null;
  waiting: (Waiting & Ending) | null;
  you: number | null;
  slow: boolean;
  /** Whether the people of a turn-based match are playing it live. */
  isLive: boolean;
  byMail: boolean;
  asleep: number[];
  status: string;
  players: SeatedPlayer[];
  view: View<F>;
  outcome: Outcome | null;
  reasons: string[] | null | undefined;
  feat: LogLine | null | undefined;
  seed: string | null;
  rematch: (Rematch & Ending) | null;
  log: LogLine[];
  scores: LogLine[];
  /** The state of the lesson that this match gives. */
  lesson: LessonNow | null;
  /** Whether this is the replay of a finished match. */
  isReplay?: boolean;
  readonly names: string[];
  /** A seat's name by itself: "You" for the viewer's own. */
  nameFor(seat: number): string;
  /** A seat's name for a sentence with words for the reader. */
  called(seat: number): { isReader: boolean };
  take(message: Message): "snapshot" | "moved" | "gap" | null;
  /** The zone with that id; callers only ask for zones whose cards the viewer may see. */
  zone(id: string): OpenZone;
}

/** A zone with visible cards. */
type OpenZone = Omit<Zone, "cards"> & { cards: string[] };

/** What layouts use to draw. */
interface Table<F = Facts> {
  readonly store: Store<F>;
  readonly view: View<F>;
  readonly facts: F;
  readonly names?: string[];
  order: string;
  isHandEmpty(): boolean;
  el: El;
  cardEl(code: string | null, zone: string, tag?: "span" | "button"): Found;
  spread(zone: Zone, options?: SpreadOptions): Found;
  stackOf(zone: Zone, options?: { label?: string; target?: string }): Found;
  section(zone: Zone, label: string | undefined, children: Child[], note?: string): Found;
  zoneBox(zone: Zone): Found;
  titleOf(zone: Zone): string;
  mark(label: string, ...values: (Node | string | number)[]): Found;
}

interface SpreadOptions {
  tag?: "span" | "button";
  reach?: boolean;
  order?: (cards: (string | null)[]) => (string | null)[];
}

/** A legal move in the picker's form. */
interface Parsed {
  /** The move as it is sent. */
  move: string;
  verb: string;
  /** The cards to touch: codes, or `#5` for any card of that rank. */
  needs: string[];
  /** What can be touched instead of the button: a zone id, or `seat:2`. */
  target: string | null;
  /** The number of a bet, or how many cards to take from the pile. */
  number: number | null;
}

/** A move that uses all the cards chosen so far, and what it still needs. */
type Candidate = Parsed & { left: string[] };

/** A moment that everyone should notice. */
interface Moment {
  title: string;
  text?: string;
  cards?: string[];
  tone?: string;
}

/** How a game is drawn, and its texts for choices; only the first two are required. */
interface Layout<F = Facts> {
  /** Facts that are always visible, as marks. */
  marks(table: Table<F>): Child[];
  /** The middle of the table. */
  centre(table: Table<F>): (Node | null)[];
  /** The zone that cards of one rank are played on. */
  pile?: string;
  /** Whether melds need the space at both sides of the table. */
  isBroad?: boolean;
  /** Whether several chosen cards stay chosen when a card that doesn't fit is touched. */
  keepsChoice?: boolean;
  begin?(table: Table<F>, lines: GameEvent[]): void;
  happened?(table: Table<F>, events: GameEvent[]): void;
  /** Highlights what the events of a message are about to change. */
  light?(table: Table<F>, events: GameEvent[]): void;
  moment?(table: Table<F>, event: GameEvent): Moment | null;
  chips?(table: Table<F>, seat: number): (Node | null)[];
  isSpare?(kind: string): boolean;
  hasPoints?(table: Table<F>): boolean;
  /** Points that a seat has in sight, but not yet. */
  coming?(table: Table<F>, seat: number): { n: number; text: string } | null;
  /** Whether a seat's points are the number of its cards. */
  countsCards?: boolean;
  hasSlaps?(view: View<F>): boolean;
  slaps?: {
    makeSlap: typeof import("../static/js/table/slap.js").makeSlap;
    showVerdict: typeof import("../static/js/table/verdict.js").showVerdict;
  };
  plan?(options: PlanOptions): Plan;
  task?(store: Store<F>): string | null | undefined;
  attempt?(table: Table<F>, code: string, chosen: string[]): string | null;
  preview?(table: Table<F>, choice: { chosen: string[]; ready: Candidate[]; open: Candidate[] }): string;
  question?(table: Table<F>, done: Candidate[]): string | null;
  option?(table: Table<F>, parsed: Parsed, chosen: string[]): Child | Child[];
  choices?(open: Candidate[]): Candidate[];
  standing?(table: Table<F>): string[];
  isFinal?(parsed: Parsed): boolean;
  /** Whether such turns ask for a number: the room for it stays all the time. */
  asksNumber?(view: View<F>): boolean;
  choosesNumber?(table: Table<F>): boolean;
  numberLabel?(verb: string): string;
  numberShown?(verb: string, n: number): void;
  numberSaid?(table: Table<F>, verb: string, n: number): string;
}

interface PlanOptions {
  box: Found;
  name: string;
  store: Store;
  submit(move: string): void;
  isBusy(): boolean;
  changed(): void;
}

/** A plan of cards. */
interface Plan {
  touched(code: string): boolean;
  position(code: string): number;
  isOn(): boolean;
  isOpen(): boolean;
  drawn(): void;
}

type Render = ReturnType<typeof import("../static/js/table/render.js").makeRender>;
type Picker = ReturnType<typeof import("../static/js/table/picker.js").makePicker>;
type Hold = ReturnType<typeof import("../static/js/table/hold.js").makeHold>;

/** Where everything was before the table was drawn again. */
interface Before {
  rects: Map<string, { rect: DOMRect; card: Found; isOwn: boolean }>;
  zones: Map<string, DOMRect>;
  melds: Map<Element, DOMRect>;
}

/** The texts of a table page, translated by the server. */
interface Words {
  texts: Record<string, string>;
  prompts: [string[], string][];
  moves: Record<string, string>;
  cards: Record<string, string>;
  suits: Record<string, string>;
  ranks: Record<string, [string, string]>;
  /** How long the table is shown as it was before an event, by kind, in ms. */
  rests: Record<string, number>;
}

/** Events of the document, sent when the socket has a message for other modules. */
interface DocumentEventMap {
  talk: CustomEvent<Talk | TalkRemoved | Signal>;
  present: Event;
  news: Event;
  ending: Event;
}

interface HTMLElementEventMap {
  look: CustomEvent<Found | null>;
}

/** The state of the socket; from "lost" it reconnects by itself. */
type ConnectionState = "open" | "lost" | "gone" | "signed_out";

/** A message that is sent again until it is answered. */
type Asked = Extract<Intent, { id: string }>;

/** Any other message, of tables and of the practice page. */
type Said = Exclude<Intent, { id: string }> | { t: "begin" };

/** A view with all hands open, of any game: the check of each game only reads its own facts. */
// biome-ignore lint/suspicious/noExplicitAny: the facts of eight games have no common shape
type AnyView = View<any>;

/** The match that the check of a deal follows. */
interface Redeal {
  chances: import("../static/js/replay/chance.js").Chances;
  seats: number;
  options: Record<string, number & boolean>;
  moves: { seat: number; move: string; chances: number }[];
  checked: number;
  fullPack(): string[];
  seen(n: number): void;
}

/** The check of one game: from the first view on, move by move. */
interface Follower {
  deal(view: AnyView): Promise<void>;
  step(version: number, before: AnyView, after: AnyView): Promise<void>;
}

/** A loaded page, or none if that failed; old if a newer request was made meanwhile. */
interface Fragment {
  isOld: boolean;
  /** The answer's status; 0 without an answer. */
  status: number;
  text: string;
  page: Document | null;
}

/** The messages that the practice page gets. */
type PracticeMessage =
  | { t: "began"; cards: number }
  | { t: "card"; v: number; pile: string[]; card: string }
  | { t: "stopped"; reason: string }
  | { t: "done"; html: string; shares: Record<string, number>; closest: string }
  | { t: "ping"; n: number }
  | Verdict
  | Rejected
  | Signal;

/** Each seat's gain from a deal or round, and the version after it. */
interface DealRow {
  label: string;
  gains: number[];
  v: number;
}

/** A part of a message: shown after a rest, during which the table is shown as it was before. */
interface Step {
  rest: number;
  events: GameEvent[];
  message: Moved;
  /** The store's values while the step is shown. */
  shown: Pick<Store, "view" | "status" | "outcome" | "reasons">;
  isLast: boolean;
}

/** How cards move: by code, or only their number. */
interface Way {
  source?: string | string[];
  target?: string;
  codes: string[];
  count: number;
}
