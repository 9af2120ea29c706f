import type { DataOf } from '../api/client.js';
import { countOf, formatMoney, formatShare } from './format.js';
import { MODELS } from './grades.js';

/** Something that needs attention, with the page to look at. */
export type Concern = {
  id: string;
  text: string;
  page: 'events' | 'predictions' | 'overview';
  search: Record<string, string>;
};

type Known = {
  losses: DataOf<'listLosses'> | undefined;
  failed: DataOf<'listFailedEventGroups'> | undefined;
  models: DataOf<'listModels'> | undefined;
  holdout: DataOf<'getHoldout'> | undefined;
};

/** What is not known yet is no concern. */
export function concernsOf({ losses, failed, models, holdout }: Known): Concern[] {
  return [
    ...lossConcern(losses),
    ...failedConcern(failed),
    ...modelConcerns(models),
    ...holdoutConcern(holdout),
  ];
}

function lossConcern(losses: Known['losses']): Concern[] {
  const lost = losses?.losses.reduce((sum, { events }) => sum + events, 0) ?? 0;
  if (lost === 0) return [];
  const text = `${countOf(lost, 'event')} of the last 7 days never arrived`;
  return [{ id: 'losses', text, page: 'events', search: { tab: 'losses' } }];
}

function failedConcern(failed: Known['failed']): Concern[] {
  const entries = failed?.groups.reduce((sum, group) => sum + group.entries, 0) ?? 0;
  if (entries === 0) return [];
  const more = failed?.nextCursor == null ? '' : ' or more';
  const wait = entries === 1 ? 'waits' : 'wait';
  const text = `${countOf(entries, 'refused event')}${more} ${wait} to be corrected and replayed`;
  return [{ id: 'failed', text, page: 'events', search: { tab: 'failed' } }];
}

function modelConcerns(models: Known['models']): Concern[] {
  const names = new Set((models?.inForce?.distrusted ?? []).map((name) => name.split('.')[0] ?? name));
  const wrong = [...names].map((model): Concern => {
    const name = MODELS[model]?.name ?? model;
    const text = `Predictions of “${name}” were wrong lately: players get averages instead`;
    return { id: `model ${model}`, text, page: 'predictions', search: { model } };
  });
  if (models?.lastFailure == null) return wrong;
  const text = 'The last training of predictions failed';
  return [...wrong, { id: 'training', text, page: 'predictions', search: {} }];
}

function holdoutConcern(holdout: Known['holdout']): Concern[] {
  const comparison = holdout?.comparison ?? null;
  if (comparison === null) return [];
  const { reported, conversion, sampleRatio } = comparison;
  const verdict = (text: string): Concern[] => [{ id: 'holdout', text, page: 'overview', search: {} }];
  if (sampleRatio.isMismatch)
    return verdict('Held-out players are not as many as they should be: no verdict');
  const said = (state: string) =>
    state === 'higher' ? 'adds' : state === 'lower' ? 'takes away' : undefined;
  const ofRevenue = reported === null ? undefined : said(reported.difference.state);
  if (reported !== null && ofRevenue !== undefined) {
    const amount = formatMoney(Math.abs(reported.difference.difference), reported.currency);
    return verdict(`Targeting ${ofRevenue} ${amount} per player, beyond chance`);
  }
  const ofConversion = said(conversion.state);
  if (ofConversion === undefined) return [];
  return verdict(
    `Targeting ${ofConversion} ${formatShare(Math.abs(conversion.difference))} of conversion, beyond chance`,
  );
}
