/** How often a process says that its event loop turns, and how often the primary counts who has said nothing. */
export const BEAT_MS = 500;

const ticks = (seconds: number): number => (seconds * 1000) / BEAT_MS;

/** Under full load an event loop is late by some hundred milliseconds. */
const SILENT_TICKS = ticks(2);
/**
 * No honest work holds an event loop for this long: in overload the loop still turns several times a second, and the longest
 * garbage collections take about a second.
 */
export const STUCK_SECONDS = 5;
/** The operations process has a lower priority: a machine that is busy with other things lets it wait for seconds. */
export const OPERATIONS_STUCK_SECONDS = 10;
/** For one step of a start: it takes many seconds on a busy machine. Nobody waits for responses of the process yet. */
const START_SECONDS = 60;
/** Longer than this no honest start is silent, on any machine. */
const MAX_START_SECONDS = 960;

export type Pulse = 'starting' | 'serving' | 'silent' | 'stuck';

/**
 * Whether the event loop of another process turns, as the primary sees it. Busy and stuck are told apart by nothing else: a busy
 * loop comes round to its timers late, a stuck one never.
 *
 *   starting ──listens──► serving ──2 s──► silent ──5 s──► stuck
 *    │  ▲ └─step─┐           ▲──heartbeat────┘               ▲
 *    │  └────────┘                                           │
 *    └─────────60 s, after a start that was stuck 120 s …────┘
 *
 * Silence is counted in ticks of the primary's own timer, not by a clock. When the whole machine is suspended, paused or starved, the
 * primary does not tick either. It counts on only when the other processes can send again, too.
 */
export class Heartbeat {
  #silentTicks = 0;
  #isListening = false;
  #isInspected = false;
  readonly #stuckTicks: number;
  readonly #stuckAtStartTicks: number;

  /** @param stuckStarts how many starts before this one were stuck, one after the other: each gives the next one twice the time */
  constructor(stuckSeconds = STUCK_SECONDS, stuckStarts = 0) {
    this.#stuckTicks = ticks(stuckSeconds);
    this.#stuckAtStartTicks = ticks(Math.min(START_SECONDS * 2 ** stuckStarts, MAX_START_SECONDS));
  }

  /** @param isInspected whether a debugger may hold the process. Then it is never stuck. */
  beat(isInspected: boolean): void {
    this.#silentTicks = 0;
    this.#isInspected = isInspected;
  }

  /** It has come further with its start, whether its loop has turned since or not. */
  advances(): void {
    this.#silentTicks = 0;
  }

  /** It says so itself, so its loop turns. */
  listens(): void {
    this.#isListening = true;
    this.#silentTicks = 0;
  }

  tick(): void {
    this.#silentTicks++;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  get silentSeconds(): number {
    return (this.#silentTicks * BEAT_MS) / 1000;
  }

  get pulse(): Pulse {
    const stuckAfter = this.#isListening ? this.#stuckTicks : this.#stuckAtStartTicks;
    if (this.#silentTicks >= stuckAfter && !this.#isInspected) return 'stuck';
    if (!this.#isListening) return 'starting';
    return this.#silentTicks >= SILENT_TICKS ? 'silent' : 'serving';
  }
}
