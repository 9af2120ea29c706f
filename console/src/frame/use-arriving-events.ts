import { useEffect, useState } from 'react';
import { useGet, usePlace } from '../api/hooks.js';
import { todayUtc } from '../lib/dashboard.js';

const LOOK_AGAIN_MS = 10_000;

/** Whether events have arrived since the last look. It reads roll-ups, which costs the same however many there are. */
export function useArrivingEvents(): boolean {
  const { game } = usePlace();
  const today = todayUtc(Date.now());
  const { data, dataUpdatedAt } = useGet(
    'getDashboard',
    { params: { game }, query: { from: today, to: today } },
    { everyMs: LOOK_AGAIN_MS },
  );
  const count = data?.today.events;
  const [seen, setSeen] = useState<{ count: number | undefined; isArriving: boolean }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response counts, also one with the same number
  useEffect(() => {
    setSeen((before) => ({ count, isArriving: before?.count !== undefined && before.count !== count }));
  }, [count, dataUpdatedAt]);
  return seen?.isArriving ?? false;
}
