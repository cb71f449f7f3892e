// The shapes of what the server sends and takes. Written by `manage.py script_types`; not by hand.

/** What a browser must know of a match's clock. */
interface ClockRules {
  by_hours: boolean;
  cap: number;
}

/** The clock of a person's seat; moments are timestamps. */
interface SeatClock {
  seat: number;
  bank: number | null;
  due: number | null;
  missed: number;
  autopilot: boolean;
  offered: boolean;
}

/** The holder of a seat. */
interface Player {
  seat: number;
  name: string;
  kind: "ai" | "person";
  level: string | null;
  resigned: boolean;
  handicap?: number;
  online: boolean;
}

/** The public state of a seat. */
interface SeatView {
  seat: number;
  team: number | null;
  place: number | null;
  points: number;
  out: boolean;
}

/** A group of cards on the table or in a hand. */
interface Zone {
  id: string;
  owner: number | null;
  count: number;
  cards: (string | null)[] | null;
  note: string;
}

/** The view of one moment of a match by ``seat`` (``None``: a spectator). */
interface View<F = Facts> {
  game: string;
  seat: number | null;
  phase: string;
  to_move: number[];
  seats: SeatView[];
  zones: Zone[];
  facts: F;
  moves: string[];
}

/** An event of the log, with the version that it led to. */
interface LogLine {
  kind: string;
  seat: number | null;
  data: EventData;
  text: string;
  v: number;
}

/** How a match ended. */
interface Outcome {
  reason: string;
  ranking: number[][];
  points: number[];
}

/** A requested rematch: the seats of this match that agreed, and those yet to answer. */
interface Rematch {
  url: string;
  status: string;
  agreed: number[];
  asked: number[];
  seconds: number | null;
}

/** The player a table waits for, and for how many seconds at most. */
interface Waiting {
  seat: number;
  seconds: number;
}

/** The current step of a lesson with its texts; ``lit`` are cards, ``move`` is the move it waits for. */
interface LessonNow {
  step: number;
  steps: number;
  say: string;
  is_over: boolean;
  lit: string[];
  move: string;
}

/** The whole table as one viewer may see it. */
interface Snapshot<F = Facts> {
  t: "snapshot";
  v: number;
  card: number | null;
  you: number | null;
  seating_epoch: number;
  key: string;
  status: string;
  slug: string;
  name: string;
  pace: string;
  slow: boolean;
  live: boolean;
  clock: ClockRules | null;
  clocks: SeatClock[];
  now: number;
  seed_hash: string;
  seed: string | null;
  players: Player[];
  view: View<F>;
  log: LogLine[];
  scores: LogLine[];
  outcome: Outcome | null;
  reasons: string[] | null;
  feat: LogLine | null;
  rematch: Rematch | null;
  waiting: Waiting | null;
  by_mail: boolean;
  asleep: number[];
  lesson: LessonNow | null;
}

/** A move as one viewer may know it; the viewer's own moves include the request id. */
interface Entry {
  seat: number;
  move: string;
  source: string;
  id: string | null;
}

/** Something that happened, with its sentence. */
interface GameEvent {
  kind: string;
  seat: number | null;
  data: EventData;
  text: string;
}

/** One move, which led to version ``v``. */
interface Moved<F = Facts> {
  t: "moved";
  v: number;
  card: number | null;
  entry: Entry;
  events: GameEvent[];
  view: View<F>;
  status: string;
  clocks: SeatClock[];
  now: number;
  outcome?: Outcome | null;
  reasons?: string[] | null;
  feat?: LogLine | null;
  lesson?: LessonNow | null;
}

/** One hand of a verdict, visible to everyone: ``raw`` less ``credit`` and ``handicap`` is ``reaction``, in ms. */
interface Hand {
  seat: number;
  reaction: number;
  raw: number;
  ping: number;
  credit: number;
  handicap: number;
  by_lot: boolean;
  result: string;
}

/** The players who slapped, how fast, and with what effect. ``by_mail`` if it belongs to a settled slap point. */
interface Verdict {
  t: "verdict";
  v: number;
  slaps: Hand[];
  by_mail?: boolean | "burns";
}

/** The seats whose players are at the table. */
interface Presence {
  t: "presence";
  online: number[];
}

/** The table starts or stops waiting for an absent player. */
interface WaitingNow {
  t: "waiting";
  waiting: Waiting | null;
}

/** The viewer's own slap on the card of version ``v`` was received. */
interface Slapped {
  t: "slapped";
  v: number;
  seats: number[];
}

/** The command with request id ``id`` was refused. */
interface Rejected {
  t: "rejected";
  id: string | null;
  code: string;
  reason: string;
  v: number;
}

/** The command with request id ``id`` is done, perhaps since an earlier request. */
interface Accepted {
  t: "ok";
  id: string;
  v: number;
}

/** The rule that forbids the move asked about under ``id``. */
interface Why {
  t: "why";
  id: string;
  reason: string | null;
}

/** The state of a slap point for one viewer. */
interface WatchStanding {
  t: "watch";
  state: string;
  waits: number[];
  returns: number;
  hands: Hand[];
}

/** A chat message as one person may read it. */
interface TalkLine {
  id: number;
  seat: number | null;
  name: string;
  name_key: string;
  phrase: string;
  at: number;
  words: string;
  is_own: boolean;
}

/** A new chat message. */
interface Talk {
  t: "talk";
  line: TalkLine;
}

/** A chat message was deleted by a moderator. */
interface TalkRemoved {
  t: "talk_removed";
  id: number;
}

/** A latency measurement, to be answered at once. */
interface Ping {
  t: "ping";
  n: number;
}

/** The page must read something again, or the process ends. */
interface Signal {
  t: "reload" | "restart" | "ending" | "news" | "talk_again" | "changed";
}

/** A move decided at version ``v``. */
interface MoveIntent {
  t: "move";
  id: string;
  move: string;
  v: number;
}

/** A slap on the card of version ``v``, ``r`` ms after it was painted (None: not measured). */
interface SlapIntent {
  t: "slap";
  id: string;
  v: number;
  r?: number | null;
}

/** A question: which rule forbids this move? */
interface WhyIntent {
  t: "why";
  id: string;
  move: string;
}

/** The answer to ping ``n``. */
interface Pong {
  t: "pong";
  n: number;
}

/** The browser has received everything up to version ``v``. */
interface Ack {
  t: "ack";
  v: number;
}

/** The browser has version ``v`` and wants everything after it. */
interface Since {
  t: "since";
  v: number;
}

/** Whether the page is visible, or hidden behind another tab or a locked screen. */
interface Visible {
  t: "visible";
  on: boolean;
}

/** The player is ready to see the next cards of a slap point. */
interface Watch {
  t: "watch";
}

type Message = Snapshot | Moved | Verdict | Presence | WaitingNow | Slapped | Rejected | Accepted | Why | WatchStanding | Talk | TalkRemoved | Ping | Signal;

type Intent = MoveIntent | SlapIntent | WhyIntent | Pong | Ack | Since | Visible | Watch;

/** What all may know of a table of Amagande, and what the viewer may. */
interface AmagandeFacts {
  colour: null | string;
  dealer: number;
  direction: number;
  free: boolean;
  options: { stacking: boolean };
  passes: number;
  penalty: number;
  put_back: string[];
  reason: null | string;
  reference: string;
  suit: null | string;
  turn: number;
  turns: number;
}

/** What all may know of a table of Armed, and what the viewer may. */
interface ArmedFacts {
  battle: number;
  known: string[][];
  options: { battles: number; hand_size: number };
  reason: null | string;
  totals: number[];
  turned: string[];
  war: boolean;
}

/** What all may know of a table of Avalanche, and what the viewer may. */
interface AvalancheFacts {
  dealer: number;
  gone: string[];
  last: null | { n: number; rank: string; seat: number };
  options: { hand: number; packs: number };
}

/** What all may know of a table of Basic Rummy, and what the viewer may. */
interface BasicRummyFacts {
  deal: number;
  dealer: number;
  fresh: boolean;
  known: string[][];
  laid: number[];
  last_deal: null | { deal: number; gains: number[]; hands: string[][]; winner: null | number };
  melded: boolean;
  melds: { by: number; kind: string; n: number; owners: number[] }[];
  options: { deals: number; rummy_doubles: boolean; target: number };
  reason: string;
  refills: number;
  rummy: boolean;
  scores: number[];
  taken: null | string;
  turn: number;
  turns: number;
  unwanted: string[][];
}

/** What all may know of a table of Game: Armani, and what the viewer may. */
interface ArmaniFacts {
  bets: number[][];
  bettor: null | number;
  burned: number;
  captains: null | number[];
  colours: string[][];
  dealer: number;
  dealers: number[];
  duel: null | { by: number; chances: number };
  final: null | number[];
  final_lap: boolean;
  flips: number;
  flips2: number;
  folded: boolean[];
  last: null | number;
  lockout: number[];
  options: { lockout: number; slaps: string[]; stage2_flips: number; teams: string };
  own_draw?: string[];
  power: null | number;
  reason: null | string;
  stage1: null | number[];
  teams: null | number[][];
  to_take: number;
  turn: null | number;
  winning: null | number;
  winning_by: null | string;
}

/** What all may know of a table of Normal Cards, and what the viewer may. */
interface NormalCardsFacts {
  deal: number;
  dealer: number;
  leader: number;
  main: string;
  options: { deals: number; teams: boolean };
  played: string[];
  points: number[];
  put_back: string[];
  trump: string;
}

/** What all may know of a table of Rummy 500, and what the viewer may. */
interface Rummy500Facts {
  deal: number;
  dealer: number;
  fresh: boolean;
  known: string[][];
  laid: number[];
  last_deal: null | { deal: number; gains: number[]; hands: string[][]; winner: null | number };
  melded: boolean;
  melds: { by: number; kind: string; n: number; owners: number[] }[];
  must: null | string;
  options: { ace_scores: number; jokers: boolean; target: number };
  reason: string;
  refills: number;
  rummy: boolean;
  scores: number[];
  taken: null | string;
  turn: number;
  turns: number;
  unwanted: string[][];
}

/** What all may know of a table of Ten-Skip Challenge, and what the viewer may. */
interface TenSkipFacts {
  dealer: number;
  exposed: null | number;
  in_round: number[];
  known: string[][];
  notice: null | number;
  offer: null | string;
  options: { limit: number; one_claim: boolean };
  out_in: (null | number)[];
  round: number;
  scores: number[];
  shown: string[][];
  swaps: number;
  turn: number;
}

/** The facts of a game that is not known where they are read. */
type Facts = object;

/** What events tell: each kind has some of it. */
interface EventData {
  battle?: number;
  bet?: number;
  by?: number | string;
  card?: string;
  cards?: number | string[];
  chances?: number;
  claimer?: number;
  colour?: string;
  count?: number;
  counts?: number[];
  deal?: number;
  dealer?: number;
  direction?: number;
  doubled?: boolean;
  fan?: string;
  forced?: boolean;
  gains?: number[];
  hands?: string[][];
  kept?: boolean;
  kind?: string;
  lockout?: number;
  losers?: number[];
  meld?: number;
  n?: number;
  number?: number;
  pieces?: string[];
  points?: number | number[];
  rank?: string;
  ranking?: number[][];
  reason?: string;
  right?: boolean;
  round?: number;
  score?: number;
  scores?: number[];
  seats?: number[];
  side?: number;
  source?: string | string[];
  sources?: string[];
  stage?: number;
  suit?: null | string;
  sum?: number;
  taker?: number;
  target?: string;
  teams?: number[][];
  totals?: number[];
  victim?: number;
  winner?: null | number;
  winners?: number[];
}
