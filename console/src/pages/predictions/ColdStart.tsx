import { Alert, Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { useStudioAndGame } from '../../api/hooks.js';
import { formatCount } from '../../lib/format.js';
import { EmptyState } from '../../parts/states.js';
import { CopyableCode, Moment } from '../../parts/texts.js';

/** The state of a model: in force, refused, or how much data it still needs. */
export function ColdStart({
  newest,
  model,
  inForce,
}: {
  newest: Schemas['ModelSummary'] | undefined;
  model: string;
  inForce: Schemas['ModelInForce'] | null;
}) {
  const { studio, game } = useStudioAndGame();
  if (newest === undefined) {
    return (
      <EmptyState title="Nothing was trained yet">
        <Text size="sm">
          Models are trained every night, once there are two weeks of players. To train now:
        </Text>
        <CopyableCode text={`npx savepoint train --tenant ${studio} --game ${game}`} />
      </EmptyState>
    );
  }
  const outcome = newest.models.find((each) => each.model === model);
  const isDistrusted = inForce?.distrusted.includes(model) ?? false;
  // `purchases.revenue90`: this prediction alone.
  const distrustedAlone = (inForce?.distrusted ?? []).flatMap((name) => {
    const [behind, prediction] = name.split('.');
    return behind === model && prediction !== undefined ? [prediction] : [];
  });
  const missing = newest.progress.filter(({ have, need }) => have < need);
  return (
    <Stack gap="sm">
      <Text size="sm">
        Training {newest.version}, <Moment at={newest.trainedAt} />:{' '}
        {outcome?.reason ?? 'this model is not part of it'}
        {inForce === null ? '' : ` · training ${inForce.modelVersion} is in force`}
      </Text>
      {outcome?.source !== undefined && <Text size="sm">{sourceSentence(outcome.source)}</Text>}
      {isDistrusted && (
        <Alert color="orange" variant="light" title="Not trusted at present">
          Its recent predictions were too far from what happened. Players get averages until they are right
          again.
        </Alert>
      )}
      {!isDistrusted && distrustedAlone.length > 0 && (
        <Alert color="orange" variant="light" title={`Not trusted at present: ${distrustedAlone.join(', ')}`}>
          Over their 28 or 90 days these predictions were off by more than half. Players are told averages of
          them until they are right again; the other predictions of this model are not affected.
        </Alert>
      )}
      {outcome?.outcome === 'cold_start' &&
        missing.map(({ what, have, need }) => (
          <div key={what}>
            <Text size="sm" className="figures">
              {formatCount(have)} of {formatCount(need)} {what}
            </Text>
            <Progress value={(100 * have) / need} aria-label={what} />
          </div>
        ))}
    </Stack>
  );
}

/** A young game borrows from others what its own players do not show yet. */
function sourceSentence({ kind, ownShare }: Schemas['ModelSource']): string {
  if (kind === 'own') return 'It has learnt from the players of this game.';
  if (kind === 'prior') return 'It has learnt from other games, and is adjusted to the rates of this one.';
  return `It has learnt from other games and from this one, whose players decide ${Math.round(100 * ownShare)}% of it.`;
}
