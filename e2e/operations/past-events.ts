/** One event of a day that is closed, for `savepoint import events`. Each tenth one is a purchase. */
export type PastEvent = Readonly<{ day: string; player: number; n: number }>;

export const isPurchase = ({ n }: PastEvent): boolean => n % 10 === 0;
export const PRICE = 1.25;

export const linesOf = (events: readonly PastEvent[]): string =>
  events.map((event) => `${JSON.stringify(lineOf(event))}\n`).join('');

function lineOf(event: PastEvent) {
  const { day, player, n } = event;
  return {
    userId: `0199c1a2-7b3c-7d4e-8f5a-${String(player).padStart(12, '0')}`,
    eventId: `e-${day}-${n}`,
    eventType: isPurchase(event) ? 'Purchase' : 'Level_Complete',
    timestamp: new Date(Date.parse(`${day}T08:00:00.000Z`) + n).toISOString(),
    payload: isPurchase(event)
      ? { transactionId: `t-${day}-${n}`, skuId: 'gems', price: PRICE, currency: 'USD' }
      : { level: n },
  };
}
