import { Button, Group, Text } from '@mantine/core';
import { useDryRun } from '../../draft/use-dry-run.js';
import type { ConfigDocument } from '../../lib/document.js';
import { countOf, formatCount, formatShare } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';

/** Enough for a share to within a percent, and done in well under a second. */
const SAMPLE = 20_000;

/** How many players an offer reaches as it is typed, saved or not, and what part of the revenue is theirs. */
export function Audience({
  offerId,
  document,
  isValid,
}: {
  offerId: string;
  document: ConfigDocument;
  isValid: boolean;
}) {
  const { result, isRunning, problem, start } = useDryRun();
  const offer = result?.offers.find((each) => each.offerId === offerId);
  return (
    <div>
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          loading={isRunning}
          disabled={!isValid}
          onClick={() => void start({ document, sample: SAMPLE })}
        >
          Count the audience
        </Button>
        {result !== null && offer !== undefined && (
          <Text size="sm" role="status">
            {formatCount((offer.estimate ?? offer.counts).after)} of {countOf(result.players, 'player')}
            {Object.entries(offer.revenueShare).map(
              ([currency, share]) => `, ${formatShare(share)} of ${currency} revenue`,
            )}
            {result.sampled ? ' (estimated)' : ''}
          </Text>
        )}
      </Group>
      <ProblemNote problem={problem} />
    </div>
  );
}
