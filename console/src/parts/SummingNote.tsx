import { Alert } from '@mantine/core';
import type { Schemas } from '../api/client.js';
import { countOf } from '../lib/format.js';

/** Above numbers that are not complete yet, as after an import of history. */
export function SummingNote({ summing }: { summing: Schemas['Summing'] | null }) {
  if (summing === null) return null;
  const { daysDone, days } = summing;
  return (
    <Alert color="orange" variant="light" p="xs" mb="xs" role="status">
      Being summed, {daysDone} of {countOf(days, 'day')}: these numbers are not complete. The service goes on
      until they are.
    </Alert>
  );
}
