import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useGet, usePlace } from '../../api/hooks.js';
import { SPANS } from '../../lib/dashboard.js';
import { hasSentEvent } from '../../lib/first-steps.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { FirstSteps } from './FirstSteps.js';

/** The newest players: one of them has sent an event, unless the game is new. */
const PLAYERS = 50;
/** A person is waiting for the next step. */
const LOOK_AGAIN_MS = 3_000;
const LONGEST = SPANS.at(-1) ?? '';

/** In place of the numbers: the first steps of a new game, or a word about one that was quiet in this time. */
export function NoEvents({ days }: { days: string }) {
  const { game } = usePlace();
  const players = useGet(
    'listPlayers',
    { params: { game }, query: { limit: PLAYERS } },
    { everyMs: LOOK_AGAIN_MS },
  );
  return (
    <Loaded query={players} height={200}>
      {(data) =>
        hasSentEvent(data.players) ? (
          <Quiet days={days} />
        ) : (
          <FirstSteps players={data.players} everyMs={LOOK_AGAIN_MS} />
        )
      }
    </Loaded>
  );
}

function Quiet({ days }: { days: string }) {
  const params = usePlace();
  return (
    <EmptyState title={`No event in the last ${days} days`}>
      <Text size="sm">
        Players of this game have sent events, but none with a time within these days.
        {days !== LONGEST && (
          <>
            {' '}
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link {...props} to="/$studio/$game" params={params} search={{ days: LONGEST }} />
              )}
            >
              Show the last {LONGEST} days
            </Anchor>
          </>
        )}
      </Text>
      <Text size="sm">
        If players are playing now, look whether their events{' '}
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link {...props} to="/$studio/$game/events" params={params} search={{ tab: 'failed' }} />
          )}
        >
          were rejected
        </Anchor>
        .
      </Text>
    </EmptyState>
  );
}
