import type { TrainingReport } from '../../core/predictions/training-report.js';
import type { Artefact, ModelName } from '../../decide/predict/artefact.js';
import type { ProbabilityMetrics } from '../../decide/predict/metrics.js';
import type { ModelReport, RefusedModel } from '../../decide/predict/model-report.js';
import { sourceText } from '../../decide/predict/model-source.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import type { ComparedModel } from '../predictions/compared-model.js';
import type { Grade } from '../predictions/grade-queries.js';
import type { Sample } from '../predictions/training-queries.js';

/** Trainings and models as lines of a terminal. */

export function sampleLine({ players, allPlayers, payers, allPayers }: Sample): string {
  const of = (read: number, all: number) =>
    read < all ? `${grouped(read)} of ${grouped(all)}` : grouped(all);
  return `Read ${of(players, allPlayers)} players, payers among them: ${of(payers, allPayers)}.`;
}

/** The data that is still missing. */
export function dataLines({ progress }: TrainingReport): string[] {
  return progress
    .filter(({ have, need }) => have < need)
    .map(
      ({ what, have, need }) => `Too little yet: ${grouped(Math.floor(have))} of ${grouped(need)} ${what}.`,
    );
}

const OUTCOMES = { promoted: 'promoted', refused: 'refused', cold_start: 'cold start' } as const;
const TITLES: Readonly<Record<ModelName, string>> = {
  activity: 'activity (churn)',
  purchases: 'purchases (what payers do)',
  conversion: 'conversion (who becomes a payer)',
};

export function modelLines({ models }: TrainingReport, artefact: Artefact): string[] {
  return models.flatMap((report) => linesOf(report, artefact.models[report.model]));
}

/** `used`: the model of the artefact, which is an older one if that of the training was refused. */
function linesOf(report: ModelReport, used: Artefact['models'][ModelName]): string[] {
  const { model, outcome, reason, isPresentKept, origins, refusedModel, source } = report;
  const kept = isPresentKept ? ' The model in force before is kept.' : '';
  const usedText = used.state === 'ready' ? parametersText(used) : undefined;
  const newest = origins.at(-1);
  return [
    `${TITLES[model]}: ${OUTCOMES[outcome]}. ${sentence(reason)}${kept}`,
    ...(outcome === 'promoted' && usedText !== undefined ? [`  ${usedText}`] : []),
    ...(refusedModel === undefined ? [] : [`  ${parametersText(refusedModel)}`]),
    ...(source === undefined ? [] : [`  learnt from ${sourceText(source)}`]),
    ...(newest === undefined ? [] : [`  newest week: ${metricsText(newest)}`]),
    ...origins
      .slice(0, -1)
      .map((metrics) => `  a week before that: ${metricsText(metrics)}`)
      .reverse(),
    ...(isPresentKept && usedText !== undefined ? [`  kept: ${usedText}`] : []),
  ];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** `AUC 0.842, Brier skill 0.351, calibration error 0.012 (chance alone 0.010), predicted / observed 1.01`. */
function metricsText(metrics: ProbabilityMetrics): string {
  const { players, auc, brierSkill, ece, eceOfChance, totalRatio } = metrics;
  const text = (value: number | null, digits: number) => (value === null ? '–' : value.toFixed(digits));
  return [
    `${grouped(players)} players`,
    `AUC ${text(auc, 3)}`,
    `Brier skill ${text(brierSkill, 3)}`,
    `calibration error ${text(ece, 4)} (chance alone ${text(eceOfChance, 4)})`,
    `predicted / observed ${text(totalRatio, 2)}`,
  ].join(', ');
}

/** One line for each model and graded day. Calibration error and Brier skill are of probabilities: totals of 28 and 90 days have none. */
export function gradeLines(grades: readonly Grade[]): string[] {
  const rows = grades.map(({ day, model, modelVersion, wasTold, health, metrics }) => [
    day,
    model,
    String(modelVersion),
    grouped(Math.round(metrics.players)),
    metrics.totalRatio === null ? '–' : metrics.totalRatio.toFixed(2),
    'ece' in metrics ? metrics.ece.toFixed(4) : '',
    'brierSkill' in metrics ? (metrics.brierSkill?.toFixed(3) ?? '–') : '',
    health,
    wasTold ? '' : 'was not in force then',
  ]);
  const head = [
    'day',
    'model',
    'version',
    'players',
    'predicted / observed',
    'calibration error',
    'Brier skill',
    'health',
    '',
  ];
  return tableLines([head, ...rows], (column) => column >= 2 && column <= 6);
}

/** Tenths of the players, from those with the lowest prediction: the mean that was predicted, and what happened. */
export function decileLines({ day, model, modelVersion, metrics }: Grade): string[] {
  const rows = metrics.deciles.map(({ players, predicted, observed }) => [
    grouped(Math.round(players)),
    predicted.toPrecision(4),
    observed.toPrecision(4),
  ]);
  if (rows.length === 0) return [];
  const table = tableLines([['players', 'predicted', 'observed'], ...rows], () => true);
  return ['', `${day}, ${model}, version ${modelVersion}:`, ...table];
}

/** One line for the model of a training, and one for the model that it has kept instead. */
export function comparedLines({ state, reason, newestWeek, model, kept }: ComparedModel): string[] {
  const title = state === 'ready' ? [] : [state.replace('_', ' '), ...(reason === null ? [] : [reason])];
  const week = newestWeek === null ? [] : [metricsText(newestWeek)];
  const keptWeek = kept?.origins.at(-1);
  return [
    [...title, ...week].join(': '),
    ...(model === null ? [] : [`  ${parametersText(model)}`]),
    ...(kept === null ? [] : [`  kept: ${parametersText(kept)}`]),
    ...(keptWeek === undefined ? [] : [`  newest week of the kept model: ${metricsText(keptWeek)}`]),
  ];
}

/** `BG/BB, 2,600 players: alpha 1.1012, beta 1.5987, gamma 0.71220, delta 9.1020`. */
function parametersText(model: RefusedModel): string {
  const parameters = Object.entries(parametersOf(model)).map(
    ([key, value]) => `${key} ${value.toPrecision(5)}`,
  );
  return `${model.algorithm}, ${grouped(model.players)} players: ${parameters.join(', ')}`;
}

/** Member by member, since a report comes back from the database with its members in another order. */
function parametersOf(model: RefusedModel): Record<string, number> {
  if ('bgBb' in model) {
    const { alpha, beta, gamma, delta } = model.bgBb;
    return { alpha, beta, gamma, delta };
  }
  const { mbgNbd, value } = model;
  const { r, alpha, a, b } = mbgNbd;
  return {
    r,
    alpha,
    a,
    b,
    ...(value?.kind === 'gamma_gamma' ? { p: value.p, q: value.q, v: value.v } : {}),
  };
}
