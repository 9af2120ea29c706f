import { Alert, Stack, Text } from '@mantine/core';
import { isChanging, isNews, leftOutInWords, pricesInWords, whyInWords } from '../lib/dry-run.js';
import { countOf, formatCount, formatUtc } from '../lib/format.js';
import { DryRunTables } from './DryRunTables.js';
import type { DryRunResult } from './use-draft-dry-run.js';

type Later = DryRunResult['later'][number];

/** What publishing would change: now, and from each later instant at which something begins or ends. */
export function DryRunResultView({ result }: { result: DryRunResult }) {
  const { players, examined, sampled, ruleErrors, later, leftOut, notes } = result;
  return (
    <>
      <Text size="sm" c="dimmed">
        {sampled
          ? `Estimated from ${formatCount(examined)} of ${countOf(players, 'player')}.`
          : `Decided for all ${countOf(players, 'player')}.`}{' '}
        Nothing was changed.
      </Text>
      {notes.map((note) => (
        <Alert key={note} color="orange" variant="light">
          {note}
        </Alert>
      ))}
      {ruleErrors.map(({ part, after }) => (
        <Alert key={part} color="orange" variant="light">
          The rule of {part} fails for {countOf(after, 'player')}.
        </Alert>
      ))}
      {later.length > 0 && (
        <Text size="sm" fw={600}>
          Now
        </Text>
      )}
      <Text size="sm">{pricesInWords(result.priced)}</Text>
      <DryRunTables effects={result} />
      {later.map((each, index) => (
        <LaterChanges key={each.at} later={each} before={later[index - 1] ?? result} />
      ))}
      {leftOut !== null && (
        <Alert color="orange" variant="light">
          {leftOutInWords(leftOut)}
        </Alert>
      )}
    </>
  );
}

/** In a sentence first: the tables open with a click. */
function LaterChanges({ later, before }: { later: Later; before: Later | DryRunResult }) {
  const title = `From ${formatUtc(later.at)}`;
  const why = whyInWords(later);
  if (!isNews(later, before)) {
    return (
      <Text size="sm" c="dimmed">
        {title} ({why}): nothing more changes.
      </Text>
    );
  }
  return (
    <section aria-label={title}>
      <Stack gap={4}>
        <Text size="sm">
          <b>{title}</b> ({why}):{' '}
          {isChanging(later) ? pricesInWords(later.priced) : 'No player sees a difference any more.'}
          {later.sampled ? ` Estimated from ${countOf(later.examined, 'player')}.` : ''}
        </Text>
        {isChanging(later) && (
          <details>
            <summary>Prices, and who enters and leaves</summary>
            <Stack gap="md" mt="xs">
              <DryRunTables effects={later} at={later.at} />
            </Stack>
          </details>
        )}
      </Stack>
    </section>
  );
}
