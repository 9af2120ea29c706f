import { Alert, Stack, Text } from '@mantine/core';
import { isChanging, pricesInWords } from '../lib/dry-run.js';
import { countOf, formatCount, formatDay } from '../lib/format.js';
import { BackTestMatches } from './BackTestMatches.js';
import { BackTestPurchases } from './BackTestPurchases.js';
import { DryRunTables } from './DryRunTables.js';
import type { BackTestResult } from './use-back-test.js';

/** What a draft would have done: who would have matched, day by day, and what purchases would have cost. */
export function BackTestResultView({ result }: { result: BackTestResult }) {
  const { players, examined, sampled, from, to, playerDays, completeSince, days, cannotKnow } = result;
  return (
    <>
      <Text size="sm" c="dimmed">
        {formatDay(from)} to {formatDay(to)}.{' '}
        {sampled
          ? `${formatCount(examined)} of ${countOf(players, 'player')} who were here since then`
          : `All ${countOf(players, 'player')} who were here since then`}
        , {countOf(playerDays, 'day of a player', 'days of players')}.
      </Text>
      {completeSince !== null && (
        <Alert color="orange" variant="light">
          Events before {formatDay(completeSince)} are deleted: what players did until then is not known.
        </Alert>
      )}
      <BackTestPurchases purchases={result.purchases} cannotKnow={cannotKnow} />
      <BackTestMatches result={result} />
      <Text size="xs" c="dimmed">
        {cannotKnow.matches}
      </Text>
      <section aria-label="Day by day">
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            Day by day
          </Text>
          {days.map((day) => (
            <Day key={day.day} day={day} />
          ))}
        </Stack>
      </section>
    </>
  );
}

function Day({ day }: { day: BackTestResult['days'][number] }) {
  const title = `${formatDay(day.day)}, v${day.version}, ${countOf(day.players, 'player')}`;
  if (!isChanging(day)) {
    return (
      <Text size="sm" c="dimmed">
        {title}: nothing would have been different.
      </Text>
    );
  }
  return (
    <details>
      <summary>
        {title}: {pricesInWords(day.priced)}
      </summary>
      <Stack gap="md" mt="xs">
        <DryRunTables effects={day} at={`${day.day}T00:00:00Z`} />
      </Stack>
    </details>
  );
}
