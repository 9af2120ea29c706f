import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { useStudioAndGame } from '../../api/hooks.js';
import { formatMoney } from '../../lib/format.js';
import { Moment } from '../../parts/texts.js';

type Item = DataOf<'getTimeline'>['items'][number];

/** One line for each thing that happened; events unfold to what was sent. */
export function TimelineLine({ item }: { item: Item }) {
  const isEvent = 'payload' in item;
  return (
    <div className="timeline-item" data-kind={item.kind}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text size="xs" c="dimmed" miw={105}>
          <Moment at={item.at} />
        </Text>
        {isEvent ? (
          <details>
            <summary>
              {describe(item)}
              {isLate(item) && (
                <Text span size="xs" c="dimmed">
                  , received <Moment at={item.receivedAt} />
                </Text>
              )}
            </summary>
            <pre className="source mono">
              {JSON.stringify(
                {
                  timestamp: item.timestamp,
                  receivedAt: item.receivedAt,
                  payload: item.payload,
                  metadata: item.metadata,
                },
                null,
                2,
              )}
            </pre>
          </details>
        ) : (
          <Text size="sm">
            {describe(item)}
            {item.kind === 'failed' && <InboxLink item={item} />}
          </Text>
        )}
      </Group>
    </div>
  );
}

/** To the entry in the inbox, where it can be corrected and replayed. */
function InboxLink({ item }: { item: Extract<Item, { kind: 'failed' }> }) {
  const { studio, game } = useStudioAndGame();
  if (item.replayedAt !== null) {
    return (
      <Text span size="xs" c="dimmed">
        {' '}
        Replayed <Moment at={item.replayedAt} />.
      </Text>
    );
  }
  return (
    <>
      {' '}
      <Link
        to="/$studio/$game/events"
        params={{ studio, game }}
        search={{ tab: 'failed', reason: item.reason, type: item.eventType ?? undefined, event: item.id }}
      >
        Open in the inbox
      </Link>
    </>
  );
}

/** Events are sent in batches, so some seconds between an event and its receipt are nothing to tell. */
const NOTABLE_DELAY_MS = 60_000;

function isLate({ at, receivedAt }: { at: string; receivedAt: string }): boolean {
  return Date.parse(receivedAt) - Date.parse(at) >= NOTABLE_DELAY_MS;
}

/** Whether a purchase counts, and on whose word. */
function purchaseState({
  refundedAt,
  movedAt,
  verifiedBy,
  isIgnored,
}: Extract<Item, { kind: 'purchase' }>): string {
  const proof = verifiedBy === null ? 'unverified' : `verified by ${verifiedBy}`;
  if (isIgnored) return `${proof}, does not count`;
  if (movedAt !== null) return `${proof}, moved to another player`;
  return refundedAt === null ? proof : `${proof}, refunded`;
}

/** One line for support: what happened, in words. */
function describe(item: Item): string {
  switch (item.kind) {
    case 'purchase': {
      const price = item.price === null ? '' : formatMoney(item.price, item.currency ?? '');
      const promotion = item.promoId === null ? '' : `, promotion ${item.promoId}`;
      const order = item.transactionId === null ? '' : `, transaction ${item.transactionId}`;
      return `Purchase ${item.skuId ?? ''} ${price}${promotion}${order} (${purchaseState(item)})`;
    }
    case 'refund':
      return `Refund of transaction ${item.transactionId ?? 'unknown'}${item.isIgnored ? ' (does not count)' : ''}`;
    case 'failed': {
      const order = item.transactionId === null ? '' : `, transaction ${item.transactionId}`;
      return `Refused: ${item.eventType ?? 'an event without a type'}${order}. ${item.message}`;
    }
    case 'login':
      return `${item.isFirst ? 'First login' : 'Login'}${item.deviceId === null ? '' : ` on device ${item.deviceId}`}`;
    case 'override':
      return `Flag ${item.flagId}: override ${item.value ? 'yes' : 'no'} ${item.change}${item.by === null ? '' : ` by ${item.by}`} (“${item.reason}”)`;
    case 'pin':
      return `${item.pinKind === 'value' ? 'Value' : 'Experiment'} ${item.target}: pin to ${JSON.stringify(item.value)} ${item.change}${item.by === null ? '' : ` by ${item.by}`} (“${item.reason}”)`;
    case 'version':
      return `Version ${item.version} published by ${item.author}${item.note === '' ? '' : `: ${item.note}`}`;
    default:
      return `${item.eventType}${item.clockSuspect ? ` (clock of the device is off: ${item.timestamp})` : ''}`;
  }
}
