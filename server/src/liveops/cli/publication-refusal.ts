import { StartupError } from '../../platform/lib/startup-error.js';
import type { DocumentChange } from '../configs/document-difference.js';
import type { PublishOutcome } from '../configs/publish.js';
import { unpublishable } from './config-input.js';

/** The option of every command that publishes, to confirm beforehand what it would be refused for. */
export const CONFIRM_PRICE_RAISES = [
  '--confirm-price-raises',
  'publish even if prices inside of running offers go up',
  false,
] as const;

type Refusal = Exclude<PublishOutcome, { outcome: 'published' | 'unchanged' }>;

/** Why nothing was published, and how to go on. `what` begins the sentence: the file, the draft, a version, the end of an experiment. */
export function publicationRefusal(game: string, what: string, outcome: Refusal): StartupError {
  switch (outcome.outcome) {
    case 'invalid':
      return unpublishable(what, outcome.problems);
    case 'price_raise': {
      const raises = outcome.raises.map(
        ({ offerId, skuId, currency, from, to, at }) =>
          `  - ${skuId} in the running offer ${offerId}: ${from} to ${to} ${currency}${at === null ? '' : `, at ${at}`}`,
      );
      return new StartupError(
        `${what} would raise prices that players see now:\n${raises.join('\n')}\nIf that is intended, add --confirm-price-raises.`,
      );
    }
    case 'values_in_use': {
      const values = outcome.values.map(({ key, change }) => `  - ${key} is ${change}`);
      const builds = outcome.builds.map(
        ({ clientBuild, players }) => `  - ${clientBuild || 'unknown build'}: up to ${players} players a day`,
      );
      return new StartupError(
        [
          `${what} would take values away from builds that players have used in the last 30 days:`,
          ...values,
          'The builds, with their players:',
          ...builds,
          'If that is intended, add --confirm-lost-values.',
        ].join('\n'),
      );
    }
    case 'experiments_exposed': {
      const changes = outcome.experiments.map(
        ({ experimentId, members }) => `  - ${experimentId}: ${members.join(', ')}`,
      );
      return new StartupError(
        [
          `${what} would change running experiments that players are in:`,
          ...changes,
          'Give them another seed, which draws all players anew, or stop them.',
        ].join('\n'),
      );
    }
    case 'conflict':
      return new StartupError(
        [
          `Nothing was published: version ${outcome.version}, by ${outcome.author}, is in force by now. What it changed:`,
          ...differenceLines(outcome.difference),
          `Take that into account, and base yours on version ${outcome.version}.`,
        ].join('\n'),
      );
    case 'unknown_base':
      return new StartupError(`${game} has no version of the number given with --based-on.`);
  }
}

export function differenceLines(difference: readonly DocumentChange[]): string[] {
  return difference.map(({ path, change }) => `  ${change.padEnd(9)} ${path}`);
}
