// What the modules of the table page are to each other. Cards are codes: "TS", "RJ", "RJ=5C" for a joker laid as a card.

/** The elements of cards in sight by key: `TS#0`, or `stock@0` for one face down. */
type Cards = Map<string, Found>;

type Child = Node | string | null | undefined | false;
type El = (what: string, properties?: Record<string, unknown>, ...children: Child[]) => Found;

/** A player as the page knows them: whether they are here may still be unknown. */
type SeatedPlayer = Omit<Player, "online"> & { online: boolean | null };

/** What the server has said of the match. */
interface Store<F = Facts> {
  clock: ClockRules | null;
  clocks: SeatClock[];
  version: number;
  /** Counts changes of what is no move: who sits where, the end by other means, a rematch. */
  seating_epoch: number;
  card: number | null;
  waiting: Waiting | null;
  you: number | null;
  slow: boolean;
  /** Whether the people of a slow match play it live just now. */
  isLive: boolean;
  byMail: boolean;
  asleep: number[];
  status: string;
  players: SeatedPlayer[];
  view: View<F>;
  outcome: Outcome | null;
  reasons: string[] | null | undefined;
  feat: Line | null | undefined;
  seed: string | null;
  rematch: Rematch | null;
  log: Line[];
  scores: Line[];
  /** Where the lesson is that is given here. */
  lesson: LessonNow | null;
  /** Whether this is a finished match that is looked at again. */
  isReplay?: boolean;
  readonly names: string[];
  /** A seat's name where it stands alone: "You" for the own one. */
  nameFor(seat: number): string;
  /** A seat's name for a sentence that has words for the reader, too. */
  called(seat: number): { isReader: boolean };
  take(message: Message): "snapshot" | "moved" | "gap" | "players" | null;
  /** The zone of that id, whose cards the viewer may see wherever they are asked for. */
  zone(id: string): OpenZone;
}

/** A zone whose cards are in sight. */
type OpenZone = Omit<Zone, "cards"> & { cards: string[] };

/** What layouts draw with. */
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

/** A legal move as the picker needs it. */
interface Parsed {
  /** As it is sent. */
  move: string;
  verb: string;
  /** Cards to be touched: codes, or `#5` for any card of that rank. */
  needs: string[];
  /** What may be touched instead of its button: a zone id, or `seat:2`. */
  target: string | null;
  /** Of a bet, or how deep into the pile. */
  number: number | null;
}

/** A move that uses all the cards chosen so far, and what it still needs. */
type Candidate = Parsed & { left: string[] };

/** Something that everybody should notice. */
interface Moment {
  title: string;
  text?: string;
  cards?: string[];
  tone?: string;
}

/** How a game is drawn, and what it says of choices; all but the first two may be left out. */
interface Layout<F = Facts> {
  /** Facts always in sight, as marks. */
  marks(table: Table<F>): Child[];
  /** The middle of the table. */
  centre(table: Table<F>): (Node | null)[];
  /** The zone that cards of one rank are laid on. */
  pile?: string;
  /** Whether melds need the sides of the table. */
  isBroad?: boolean;
  /** Whether a choice of several cards stays when another card is touched that does not fit. */
  keepsChoice?: boolean;
  begin?(table: Table<F>, lines: GameEvent[]): void;
  happened?(table: Table<F>, events: GameEvent[]): void;
  /** Shows more plainly what is seen before the events of a message change it. */
  light?(table: Table<F>, events: GameEvent[]): void;
  moment?(table: Table<F>, event: GameEvent): Moment | null;
  chips?(table: Table<F>, seat: number): (Node | null)[];
  isSpare?(kind: string): boolean;
  hasPoints?(table: Table<F>): boolean;
  /** Whether a seat's points are the number of its cards. */
  countsCards?: boolean;
  hasSlaps?(view: View<F>): boolean;
  slaps?: {
    makePoint: typeof import("../static/js/table/point.js").makePoint;
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
  /** Whether turns of this kind ask for a number: the room for it is there all the time. */
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
  changed(): void;
}

/** Cards laid ahead. */
interface Plan {
  touched(code: string): boolean;
  position(code: string): number;
  isOn(): boolean;
  isOpen(): boolean;
  drawn(): void;
  text(): string;
}

type Render = ReturnType<typeof import("../static/js/table/render.js").makeRender>;
type Picker = ReturnType<typeof import("../static/js/table/picker.js").makePicker>;
type Hold = ReturnType<typeof import("../static/js/table/hold.js").makeHold>;

/** Where everything was before the table was drawn anew. */
interface Before {
  rects: Map<string, { rect: DOMRect; card: Found; isOwn: boolean }>;
  zones: Map<string, DOMRect>;
}

/** The words of a table page, as the server has translated them. */
interface Words {
  texts: Record<string, string>;
  prompts: [string[], string][];
  moves: Record<string, string>;
  cards: Record<string, string>;
  suits: Record<string, string>;
  ranks: Record<string, [string, string]>;
  /** How long the table is seen as it was before an event of a kind, in ms. */
  rests: Record<string, number>;
}

/** What is thrown on the document when the socket has said something that others show. */
interface DocumentEventMap {
  talk: CustomEvent<Talk | TalkRemoved | Signal>;
  present: CustomEvent<{ all: boolean }>;
  news: Event;
  ending: Event;
}

interface HTMLElementEventMap {
  look: CustomEvent<Found | null>;
}

/** How the line to the server is: a page can come back from a lost one by itself. */
type LineState = "open" | "lost" | "gone" | "signed_out";

/** A message that is sent again until it is answered. */
type Asked = Extract<Intent, { id: string }>;

/** Any other: of tables, of the practice room. */
type Said = Exclude<Intent, { id: string }> | { t: "begin" };

/** A view with all hands open of whichever game: its check reads the facts of its own game only. */
// biome-ignore lint/suspicious/noExplicitAny: the facts of eight games have no common shape
type AnyView = View<any>;

/** What the check of a deal is made from. */
interface Redeal {
  chances: import("../static/js/replay/chance.js").Chances;
  seats: number;
  options: Record<string, number & boolean>;
  moves: { seat: number; move: string; chances: number }[];
  checked: number;
  fullPack(): string[];
  seen(n: number): void;
}

/** How a game is followed: from the first view, and move by move. */
interface Follower {
  deal(view: AnyView): Promise<void>;
  step(version: number, before: AnyView, after: AnyView): Promise<void>;
}

/** What was read again: a page, or none if that failed; old if it was asked for again meanwhile. */
interface Fragment {
  isOld: boolean;
  /** Of the answer; 0 without one. */
  status: number;
  text: string;
  page: Document | null;
}

/** What the practice room hears. */
type PracticeMessage =
  | { t: "began"; cards: number }
  | { t: "card"; v: number; pile: string[]; card: string }
  | { t: "stopped"; reason: string }
  | { t: "done"; html: string; shares: Record<string, number>; closest: string }
  | { t: "ping"; n: number }
  | Verdict
  | Rejected
  | Signal;

/** What a deal or round brought to each seat, and the version after it. */
interface DealRow {
  label: string;
  gains: number[];
  v: number;
}

/** A part of what a message tells: shown after a rest in which the table is seen as it was before. */
interface Step {
  rest: number;
  events: GameEvent[];
  message: Moved;
  /** What the store has when it is shown. */
  shown: Pick<Store, "view" | "status" | "outcome" | "reasons">;
  isLast: boolean;
}

/** Where cards go from and to: by name, or only how many. */
interface Way {
  source?: string | string[];
  target?: string;
  codes: string[];
  count: number;
}
