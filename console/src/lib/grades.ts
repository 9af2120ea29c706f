import type { Schemas } from '../api/client.js';
import { countOf, formatShare } from './format.js';

export type Grade = Schemas['PredictionGrade'];
export type Decile = { players: number; predicted: number; observed: number };
/** The metrics of a graded week that the page shows; null where there is none, such as the AUC of a week in which all players did the same. */
export type Metrics = {
  players: number | null;
  auc: number | null;
  ece: number | null;
  totalRatio: number | null;
  deciles: Decile[];
};

/** The API document does not fix the metrics; values that are no numbers are not shown. */
export function metricsOf({ metrics }: Pick<Grade, 'metrics'>): Metrics {
  const given = (typeof metrics === 'object' && metrics !== null ? metrics : {}) as Record<string, unknown>;
  return {
    players: numberOrNull(given.players),
    auc: numberOrNull(given.auc),
    ece: numberOrNull(given.ece),
    totalRatio: numberOrNull(given.totalRatio),
    deciles: Array.isArray(given.deciles) ? given.deciles.filter(isDecile) : [],
  };
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function isDecile(value: unknown): value is Decile {
  const { players, predicted, observed } = (value ?? {}) as Record<string, unknown>;
  return [players, predicted, observed].every((each) => numberOrNull(each) !== null);
}

/** What each model predicts, in words. */
export const MODELS: Readonly<Record<string, { name: string; question: string }>> = {
  activity: { name: 'Churn', question: 'Who will not come back within seven days?' },
  purchases: { name: 'Repeat purchases', question: 'Which payers will spend within seven days?' },
  conversion: {
    name: 'Conversion',
    question: 'Which non-payers will pay for the first time within seven days?',
  },
};

/** What the players of each model did who were predicted to. */
const DID: Readonly<Record<string, string>> = {
  activity: 'did not come back',
  purchases: 'bought again',
  conversion: 'paid for the first time',
};

/**
 * How often a week of predictions was right, in a sentence: `Of the 120 players it gave the highest chance (91%), 88% did not come
 * back.` Undefined where the week was not graded by tenths.
 */
export function gradeInWords(grade: Grade): string | undefined {
  const { deciles } = metricsOf(grade);
  const highest = deciles.toSorted((one, other) => one.predicted - other.predicted).at(-1);
  const did = DID[grade.model];
  if (highest === undefined || did === undefined) return undefined;
  const players = countOf(Math.round(highest.players), 'player');
  return `Of the ${players} it gave the highest chance (${formatShare(highest.predicted)}), ${formatShare(highest.observed)} ${did}.`;
}
