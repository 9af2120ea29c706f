import { Button, Group, Stack } from '@mantine/core';
import { comingInstants } from '../../lib/coming-instants.js';
import type { ConfigDocument } from '../../lib/document.js';
import { whyInWords } from '../../lib/dry-run.js';
import { formatUtc } from '../../lib/format.js';
import { MomentInput } from '../../parts/fields.js';

/** For which time: now, one at which something of the draft begins or ends, or any other. */
export function PreviewTime({
  document,
  at,
  onChange,
}: {
  document: ConfigDocument;
  /** Null: now. */
  at: string | null;
  onChange: (at: string | null) => void;
}) {
  const instants = comingInstants(document, Date.now());
  return (
    <Stack gap={4}>
      <MomentInput label="At" size="xs" empty="now" value={at} onChange={onChange} />
      {instants.length > 0 && (
        <Group gap={4} role="group" aria-label="Times at which something changes">
          <Button
            size="compact-xs"
            variant={at === null ? 'light' : 'default'}
            aria-pressed={at === null}
            onClick={() => onChange(null)}
          >
            Now
          </Button>
          {instants.map((instant) => {
            const isChosen = at !== null && Date.parse(at) === Date.parse(instant.at);
            return (
              <Button
                key={instant.at}
                size="compact-xs"
                variant={isChosen ? 'light' : 'default'}
                aria-pressed={isChosen}
                title={whyInWords(instant)}
                onClick={() => onChange(instant.at)}
              >
                {formatUtc(instant.at)}
              </Button>
            );
          })}
        </Group>
      )}
    </Stack>
  );
}
