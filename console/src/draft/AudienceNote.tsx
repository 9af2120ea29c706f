import { Group, Loader, Stack, Text } from '@mantine/core';
import type { Schemas } from '../api/client.js';
import { useOriginals } from '../api/use-originals.js';
import type { ConfigDocument } from '../lib/document.js';
import { countOf, formatCount, formatUtc } from '../lib/format.js';
import { revenueSharesText } from '../lib/money.js';
import { PlayerLink } from '../parts/PlayerLink.js';
import { ProblemNote } from '../parts/states.js';
import { type Audience, type AudiencePart, useAudience } from './use-audience.js';

type Props = {
  document: ConfigDocument;
  part: AudiencePart;
  /** Where the part is in the document: `/offers/3`. */
  pointer: string;
  hasExamples?: boolean;
};

/** Which players an offer, a segment or a rule of a value reaches, as it is typed, saved or not. */
export function AudienceNote({ document, part, pointer, hasExamples = false }: Props) {
  const { audience, isCounting, problem } = useAudience(document, part);
  const [isOriginal] = useOriginals();
  const shares = audience === null ? '' : revenueSharesText(audience, isOriginal);
  return (
    <Stack gap="xs">
      <Group gap="xs" mih={24} role="status" aria-label="Audience" aria-busy={isCounting}>
        {isCounting && <Loader size={14} />}
        {audience !== null && (
          <Text size="sm" className="figures" {...(isCounting && { c: 'dimmed' })}>
            <b>{formatCount(audience.audience.players)}</b> of {countOf(audience.players, 'player')}
            {audience.at > audience.countedAt ? ` from ${formatUtc(audience.at)}` : ''}
            {shares === '' ? '' : `, ${shares}`}
            {audience.isSampled ? `, estimated from ${formatCount(audience.examined)}` : ''}
          </Text>
        )}
        {isCounting && (
          <Text size="sm" c="dimmed">
            {audience === null ? 'Counting the players…' : '(before this change; counting…)'}
          </Text>
        )}
        {problem?.code === 'document_invalid' && (
          <Text size="sm" c="dimmed">
            {whyInvalid(problem.details.problems as Schemas['DocumentProblem'][], pointer)}
          </Text>
        )}
      </Group>
      {audience?.notes.map((note) => (
        <Text key={note} size="xs" c="dimmed">
          {note}
        </Text>
      ))}
      {problem?.code !== 'document_invalid' && <ProblemNote problem={problem} />}
      {hasExamples && audience !== null && <Examples audience={audience} />}
    </Stack>
  );
}

function whyInvalid(problems: readonly Schemas['DocumentProblem'][], pointer: string): string {
  const isHere = problems.some((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`));
  if (isHere) return 'The players are counted once the mistake here is mended.';
  const subject = problems[0]?.subject ?? 'another part of the draft';
  return `The players are counted once the mistake in ${subject} is mended.`;
}

/** Some players who are in, and some who would enter with the smallest change of one number. */
function Examples({ audience: { examples } }: { audience: Audience }) {
  return (
    <Stack gap={4}>
      {examples.inside.length > 0 && (
        <Text size="sm">
          In it:{' '}
          {examples.inside.map((playerId) => (
            <PlayerLink key={playerId} playerId={playerId} />
          ))}
        </Text>
      )}
      {examples.outside.length > 0 && (
        <details>
          <summary>{countOf(examples.outside.length, 'player')} just outside</summary>
          <Stack gap={2} mt={4}>
            {examples.outside.map(({ playerId, sentence, nearMiss }) => (
              <Text key={playerId} size="xs">
                <PlayerLink playerId={playerId} /> has {formatCount(nearMiss.value)}. {sentence}
              </Text>
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  );
}
