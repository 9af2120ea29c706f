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
/** Until a process listens it loads its code, which takes many seconds on a busy machine. Nobody waits for its responses yet. */
const STUCK_AT_START_TICKS = ticks(60);

export type Pulse = 'starting' | 'serving' | 'silent' | 'stuck';

/**
 * Whether the event loop of another process turns, as the primary sees it. Busy and stuck are told apart by nothing else: a busy
 * loop comes round to its timers late, a stuck one never.
 *
 *   starting ──listens──► serving ──2 s──► silent ──5 s──► stuck
 *       │                    ▲──heartbeat────┘               ▲
 *       └──────────────────60 s──────────────────────────────┘
 *
 * Silence is counted in ticks of the primary's own timer, not by a clock. When the whole machine is suspended, paused or starved, the
 * primary does not tick either. It counts on only when the other processes can send again, too.
 */
export class Heartbeat {
  #silentTicks = 0;
  #isListening = false;
  #isInspected = false;
  readonly #stuckTicks: number;

  constructor(stuckSeconds = STUCK_SECONDS) {
    this.#stuckTicks = ticks(stuckSeconds);
  }

  /** @param isInspected whether a debugger may hold the process. Then it is never stuck. */
  beat(isInspected: boolean): void {
    this.#silentTicks = 0;
    this.#isInspected = isInspected;
  }

  /** It says so itself, so its loop turns. */
  listens(): void {
    this.#isListening = true;
    this.#silentTicks = 0;
  }

  tick(): void {
    this.#silentTicks++;
  }

  get silentSeconds(): number {
    return (this.#silentTicks * BEAT_MS) / 1000;
  }

  get pulse(): Pulse {
    const stuckAfter = this.#isListening ? this.#stuckTicks : STUCK_AT_START_TICKS;
    if (this.#silentTicks >= stuckAfter && !this.#isInspected) return 'stuck';
    if (!this.#isListening) return 'starting';
    return this.#silentTicks >= SILENT_TICKS ? 'silent' : 'serving';
  }
}
