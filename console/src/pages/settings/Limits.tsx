import { Progress, Stack, Table, Text } from '@mantine/core';
import { useGet } from '../../api/hooks.js';
import { useDraft } from '../../draft/draft-context.js';
import type { ConfigDocument } from '../../lib/document.js';
import { formatCount } from '../../lib/format.js';
import { Loaded } from '../../parts/states.js';

/** What the draft uses of what a document may hold, and what games may send. */
export function Limits() {
  const limits = useGet('getLimits');
  const { document } = useDraft();
  return (
    <Loaded query={limits} height={300}>
      {({ document: ofDocument, events }) => (
        <Stack gap="lg" maw={640}>
          <LimitTable
            label="The draft"
            rows={[
              ['SKUs', document?.catalogue.length, ofDocument.skus],
              ['Offers', document?.offers.length, ofDocument.offers],
              ['SKUs of all offers together', document && offeredSkus(document), ofDocument.offeredSkus],
              ['Segments', document?.segments.length, ofDocument.segments],
              ['Flags', document?.flags.custom.length, ofDocument.flags],
              ['Characters of a rule', document && longestRule(document), ofDocument.ruleLength],
            ]}
          />
          <LimitTable
            label="Events that games send"
            rows={[
              ['Events in one request', undefined, events.maxEvents],
              ['Bytes of one request, decompressed', undefined, events.maxBodyBytes],
              ['Bytes of one event', undefined, events.maxEventBytes],
              ['Characters of an event type', undefined, events.maxEventTypeLength],
            ]}
          />
        </Stack>
      )}
    </Loaded>
  );
}

function LimitTable({
  label,
  rows,
}: {
  label: string;
  rows: readonly (readonly [name: string, used: number | undefined, limit: number])[];
}) {
  return (
    <Table aria-label={label} captionSide="top" verticalSpacing={6}>
      <Table.Caption ta="left" fw={600}>
        {label}
      </Table.Caption>
      <Table.Tbody>
        {rows.map(([name, used, limit]) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td ta="right" className="figures nowrap">
              {used === undefined ? '' : `${formatCount(used)} of `}
              {formatCount(limit)}
            </Table.Td>
            <Table.Td w={160}>
              {used !== undefined && (
                <>
                  <Progress value={(100 * used) / limit} aria-label={`${name}, used`} />
                  {used > 0.9 * limit && (
                    <Text size="xs" c="orange">
                      nearly full
                    </Text>
                  )}
                </>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function offeredSkus({ offers, catalogue }: ConfigDocument): number {
  return offers.reduce((sum, { skus }) => sum + (skus === 'all' ? catalogue.length : skus.length), 0);
}

function longestRule({ segments, offers, flags }: ConfigDocument): number {
  const rules = [
    ...segments.map(({ rule }) => rule),
    ...offers.map(({ when }) => when ?? ''),
    ...flags.custom.map(({ rule }) => rule ?? ''),
  ];
  return Math.max(0, ...rules.map(({ length }) => length));
}
