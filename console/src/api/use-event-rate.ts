import { useEffect, useState } from 'react';
import { todayUtc } from '../lib/dashboard.js';
import { type EventRate, nextRate } from '../lib/event-rate.js';
import { useGet, useStudioAndGame } from './hooks.js';

const LOOK_AGAIN_MS = 5_000;

/**
 * Events a second, from how many of today were counted at two looks; undefined until the second look. It reads roll-ups,
 * which costs the same however many events there are, and every user of it shares one request.
 */
export function useEventRate(): number | undefined {
  const { game } = useStudioAndGame();
  const today = todayUtc(Date.now());
  const { data, dataUpdatedAt } = useGet(
    'getDashboard',
    { params: { game }, query: { from: today, to: today } },
    { everyMs: LOOK_AGAIN_MS },
  );
  const [rate, setRate] = useState<EventRate>();
  // The instant tells responses with the same numbers apart: an unchanged count is a rate of zero.
  useEffect(() => {
    if (data === undefined) return;
    const { day, events } = data.today;
    setRate((before) => nextRate(before, { day, events, atMs: dataUpdatedAt }));
  }, [data, dataUpdatedAt]);
  return rate?.perSecond;
}
