import type { Schemas } from '../api/client.js';
import { countOf, formatCount } from './format.js';

export type Job = Schemas['Job'];

/** What a job does, in words: `Replay of schema_mismatch, Level_Complete`. */
export function titleOf({ kind, subject }: Pick<Job, 'kind' | 'subject'>): string {
  switch (kind) {
    case 'dry_run':
      return subject.version == null ? 'Dry run of the draft' : `Dry run of v${subject.version}`;
    case 'back_test': {
      const days = countOf(Number(subject.days), 'day');
      return `Back-test of ${subject.version == null ? 'the draft' : `v${subject.version}`} on ${days}`;
    }
    case 'replay':
      return `Replay of ${subject.reason}${subject.eventType == null ? '' : `, ${subject.eventType}`}`;
    case 'override_import':
      return `Flags from a file, ${countOf(Number(subject.rows), 'row')}`;
    case 'training':
      return 'Training of the models';
    case 'funnel':
      return `Funnel ${subject.steps}`;
  }
}

const UNITS: Readonly<Record<Job['kind'], string>> = {
  dry_run: 'player',
  back_test: 'player',
  replay: 'event',
  override_import: 'row',
  training: 'step',
  funnel: 'player',
};

/** How far a job is: `2,000 of 20,311 players`. */
export function progressOf({ kind, done, total }: Job): string {
  return total === null ? 'Starting…' : `${formatCount(done)} of ${countOf(total, UNITS[kind])}`;
}

/** What came of a job that is done. The result of a dry run or back-test is shown in its panel. */
export function outcomeOf({ kind, result }: Job): string {
  if (result === null) return 'Done';
  switch (kind) {
    case 'dry_run':
    case 'back_test':
      return 'Done';
    case 'replay': {
      const { replayed, total, failed } = result as Schemas['ReplayProgress'];
      return `${formatCount(replayed)} of ${countOf(total, 'event')} replayed, ${formatCount(failed)} still refused`;
    }
    case 'override_import': {
      const { set, cleared, unchanged } = result as Schemas['OverrideImportProgress'];
      return `${formatCount(set)} set, ${formatCount(cleared)} cleared, ${formatCount(unchanged)} as before.`;
    }
    case 'training': {
      const { modelVersion, isPromoted } = result as { modelVersion: number; isPromoted: boolean };
      return `Training ${modelVersion} is done${isPromoted ? ' and in force' : ''}.`;
    }
    case 'funnel': {
      const { players } = result as Schemas['FunnelResult'];
      return `${formatCount(players.at(-1) ?? 0)} of ${countOf(players[0] ?? 0, 'player')} came to the last step.`;
    }
  }
}
