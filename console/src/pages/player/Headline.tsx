import { Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.js';
import { countOf } from '../../lib/format.js';
import { Money } from '../../parts/Money.js';
import { Moment } from '../../parts/texts.js';

/** Who it is, what they paid and when they were last here: what support looks for first. */
export function Headline({ facts }: { facts: Schemas['PlayerFacts'] }) {
  const {
    profile,
    firstSeenAt,
    lastEventAt,
    purchaseCount,
    lastPurchaseAt,
    spend,
    reportedSpend,
    eventCount,
  } = facts;
  const known = (...members: string[]) =>
    members
      .map((member) => profile[member]?.value)
      .filter((value) => value !== undefined)
      .join(' · ');
  const device = known('deviceType', 'osName', 'osVersion');
  const build = known('clientBuild');
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md" verticalSpacing="xs" className="figures">
      <Fact
        label="Paid"
        value={purchaseCount === 0 ? 'nothing so far' : <Money paid={spend} reported={reportedSpend} />}
        more={
          purchaseCount > 0 && (
            <>
              {countOf(purchaseCount, 'purchase')}, last <Moment at={lastPurchaseAt} />
            </>
          )
        }
      />
      <Fact label="Last event" value={<Moment at={lastEventAt} />} more={countOf(eventCount, 'event')} />
      <Fact label="First seen" value={<Moment at={firstSeenAt} />} more={known('country', 'locale')} />
      <Fact
        label="Device"
        value={device === '' ? 'not known' : device}
        more={build === '' ? '' : `build ${build}`}
      />
    </SimpleGrid>
  );
}

function Fact({ label, value, more }: { label: string; value: ReactNode; more: ReactNode }) {
  return (
    <Box role="group" aria-label={label}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={600}>{value}</Text>
      <Text size="xs" c="dimmed">
        {more}
      </Text>
    </Box>
  );
}
