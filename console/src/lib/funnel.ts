import type { Schemas } from '../api/client.js';

export type FunnelResult = Schemas['FunnelResult'];

export const MIN_STEPS = 2;
export const MAX_STEPS = 6;

/** The windows that the page offers, in hours. */
export const WINDOWS = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: '672', label: '28 days' },
] as const;

/** The steps of an address: types of events with commas between; empty places are steps that are not chosen yet. */
export function readSteps(text: string | undefined): string[] {
  const steps = (text ?? '').split(',').slice(0, MAX_STEPS);
  while (steps.length < MIN_STEPS) steps.push('');
  return steps;
}

export function writeSteps(steps: readonly string[]): string {
  return steps.join(',');
}

export type FunnelRow = {
  step: string;
  players: number;
  /** Share of all who entered; 0 if no player entered. */
  share: number;
  /** How many of the step before did not come to this one. Null for the first step. */
  lost: number | null;
  lostShare: number | null;
};

export function funnelRows({ steps, players }: Pick<FunnelResult, 'steps' | 'players'>): FunnelRow[] {
  const entered = players[0] ?? 0;
  return steps.map((step, index) => {
    const here = players[index] ?? 0;
    const before = index === 0 ? null : (players[index - 1] ?? 0);
    const lost = before === null ? null : before - here;
    return {
      step,
      players: here,
      share: entered === 0 ? 0 : here / entered,
      lost,
      lostShare: lost === null || !before ? null : lost / before,
    };
  });
}
