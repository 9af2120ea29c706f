/** A batch of new events, as JSON; the same as lua/events.lua makes. */
export function eventsJson(run, index, batch) {
  const timestamp = new Date().toISOString();
  return JSON.stringify(
    Array.from({ length: batch }, (_, n) => ({
      eventType: 'Ad_Impression',
      timestamp,
      payload: {
        userId: 'user-1',
        sessionId: `session-${run}`,
        adId: `ad-${index}-${n}`,
        campaignId: 'campaign-1',
      },
      metadata: { deviceType: 'phone', osName: 'Android', osVersion: '16' },
    })),
  );
}

/** A short past for rules to read: every player has played, and every third has bought something. */
export function historyJson(index) {
  const timestamp = new Date().toISOString();
  const metadata = { deviceType: 'phone', osName: 'Android', osVersion: '16' };
  const event = (eventType, payload) => ({ eventType, timestamp, payload, metadata });
  const events = [
    event('Session_Start', { sessionId: 'first' }),
    ...Array.from({ length: index % 7 }, (_, n) => event('Level_Complete', { level: n })),
    event('Session_End', { sessionId: 'first', durationMs: 60_000 * (1 + (index % 90)) }),
  ];
  if (index % 3 === 0) {
    const payload = {
      transactionId: `history-${index}`,
      skuId: 'sku_1',
      price: 1 + (index % 50),
      currency: 'USD',
    };
    events.push(event('Purchase', payload));
  }
  return JSON.stringify(events);
}

/** New purchases, as JSON. */
export function purchasesJson(run, first, count) {
  const timestamp = new Date().toISOString();
  return JSON.stringify(
    Array.from({ length: count }, (_, n) => ({
      eventType: 'Purchase',
      timestamp,
      payload: {
        transactionId: `${run}-${first + n}`,
        skuId: `sku_${(first + n) % 20}`,
        price: 1.99 + ((first + n) % 20),
        currency: 'USD',
      },
      metadata: { deviceType: 'phone', osName: 'Android', osVersion: '16' },
    })),
  );
}
