import { ACTIVATED, type Shown, seedOf } from './exposure-document.js';

/** When a request began and when its response, or the loss of it, was seen, in epoch milliseconds. */
export type Span = Readonly<{ beganAt: number; endedAt: number }>;

export type ToldArm = Readonly<{
  player: number;
  experimentId: string;
  seed: string;
  variantId: string;
  /** Of the first response that told it. */
  span: Span;
}>;

/** A request whose response did not tell all arms: it was lost, or it shows only some of them. */
export type Silence = Span & Readonly<{ player: number; isLost: boolean }>;

const MAX_PROBLEMS = 20;

/** What players were told: the first variant of each experiment and seed, and every later response that said something else. */
export class ToldArms {
  readonly silences: Silence[] = [];
  readonly problems: string[] = [];
  responses = 0;
  /** Requests that nobody answered or cut off. */
  timedOut = 0;
  readonly #first = new Map<string, ToldArm>();
  /** Of each player, the responses that told the arm of the experiment with an activation. */
  readonly #activated = new Map<number, Span[]>();

  get all(): readonly ToldArm[] {
    return [...this.#first.values()];
  }

  find(player: number, experimentId: string, seed: string): ToldArm | undefined {
    return this.#first.get(keyOf(player, experimentId, seed));
  }

  tell(
    player: number,
    response: string,
    span: Span,
    { shown, round }: { shown: Shown; round: number },
  ): void {
    this.responses++;
    for (const [experimentId, variantId] of shown) {
      const seed = seedOf(experimentId, round);
      const first = this.find(player, experimentId, seed);
      if (first === undefined) {
        if (variantId === '') continue;
        const arm = { player, experimentId, seed, variantId, span };
        this.#first.set(keyOf(player, experimentId, seed), arm);
      } else if (variantId !== first.variantId) {
        // Of two requests at once, one may have been decided before the player could enter.
        if (variantId === '' && span.beganAt <= first.span.endedAt) continue;
        this.complain(
          `player ${player} was told ${first.variantId} of ${experimentId} (seed ${seed}) first, and "${variantId}" by ${response}`,
        );
      }
      if (experimentId === ACTIVATED && variantId !== '') this.#addActivated(player, span);
    }
  }

  keepSilent(silence: Silence): void {
    this.silences.push(silence);
  }

  /** When the player knew the arm by a request that began after a moment. */
  activatedKnownAfter(player: number, ms: number): number {
    const ends = (this.#activated.get(player) ?? []).filter(({ beganAt }) => beganAt >= ms);
    return Math.min(...ends.map(({ endedAt }) => endedAt));
  }

  complain(problem: string): void {
    if (this.problems.length < MAX_PROBLEMS && !this.problems.includes(problem)) this.problems.push(problem);
  }

  #addActivated(player: number, span: Span): void {
    const spans = this.#activated.get(player) ?? [];
    spans.push(span);
    this.#activated.set(player, spans);
  }
}

function keyOf(player: number, experimentId: string, seed: string): string {
  return `${player} ${experimentId} ${seed}`;
}
