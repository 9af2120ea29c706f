import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/hooks.js';
import { EmptyState } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';

/** A new studio: from a key to the first event, live. */
export function FirstSteps() {
  const { studio, game } = usePlace();
  const params = { studio, game };
  return (
    <EmptyState title="No event has arrived yet">
      <Stack gap="sm">
        <Text size="sm">
          1.{' '}
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link {...props} to="/$studio/$game/settings" params={params} search={{ tab: 'keys' }} />
            )}
          >
            Create an API key
          </Anchor>{' '}
          and log a player in with it.
        </Text>
        <Text size="sm">
          2. Send events, and watch them arrive on the page{' '}
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/$studio/$game/events" params={params} />}
          >
            Events
          </Anchor>
          . This page then shows their numbers.
        </Text>
        <Text size="sm">Or fill the game with simulated players:</Text>
        <CopyableCode
          text={`SAVEPOINT_ENV=development npx savepoint simulate --tenant ${studio} --game ${game} --players 200`}
        />
      </Stack>
    </EmptyState>
  );
}
