import { useMemo } from 'react';
import { useGet, useStudioAndGame } from '../api/hooks.js';
import { type ConfigDocument, currenciesOf } from '../lib/document.js';
import { type KnownValues, knownCurrencies, knownOf } from '../lib/known-values.js';

/** What players of this game have had, for completions and hints: countries, systems, event types, and currencies, paid in or of the catalogue. */
export function useKnownValues({ catalogue }: Pick<ConfigDocument, 'catalogue'>): KnownValues {
  const { game } = useStudioAndGame();
  const params = { game };
  const { data: countries } = useGet('getBreakdown', { params, query: { by: 'country' } });
  const { data: systems } = useGet('getBreakdown', { params, query: { by: 'platform' } });
  const { data: types } = useGet('listEventTypes', { params });
  // A list by spend says in which currencies players have paid.
  const { data: payers } = useGet('listPlayers', { params, query: { sort: 'spend', limit: 1 } });
  return useMemo(() => {
    const eventTypes = types?.eventTypes.map(({ eventType }) => eventType) ?? [];
    return {
      country: knownOf(countries?.values),
      os: knownOf(systems?.values),
      eventType: { values: eventTypes, isComplete: eventTypes.length > 0 && types?.nextCursor === null },
      currency: knownCurrencies(payers?.currencies, currenciesOf(catalogue)),
    };
  }, [catalogue, countries, systems, types, payers]);
}
