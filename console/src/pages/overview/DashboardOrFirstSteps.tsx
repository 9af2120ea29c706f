import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { SPANS } from '../../lib/dashboard.js';
import type { DaySpan } from '../../lib/day-span.js';
import { hasSentEvent } from '../../lib/first-steps.js';
import { formatDays } from '../../lib/format.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { FirstSteps } from './FirstSteps.js';

/** The newest players: one of them has sent an event, unless the game is new. */
const PLAYERS = 50;
/** A person is waiting for the next step. */
const LOOK_AGAIN_MS = 3_000;
const LONGEST = SPANS.at(-1) ?? '';

type Props = {
  /** Whether the numbers have no event in these days. */
  isQuiet: boolean;
  span: DaySpan;
  /** Asks for the numbers again. */
  refresh: () => Promise<unknown>;
  /** The numbers. */
  children: ReactNode;
};

/**
 * The numbers, or in their place: the first steps of a new game, or a word about a game that was quiet in this time. Whoever has seen
 * the first steps also sees the last one ticked: they stay until the person goes on to the numbers.
 */
export function DashboardOrFirstSteps({ isQuiet, span, refresh, children }: Props) {
  const { game } = useStudioAndGame();
  const [isLed, setLed] = useState(false);
  const players = useGet(
    'listPlayers',
    { params: { game }, query: { limit: PLAYERS } },
    { enabled: isQuiet || isLed, everyMs: LOOK_AGAIN_MS },
  );
  const isNew = isQuiet && players.data !== undefined && !hasSentEvent(players.data.players);
  if (isNew && !isLed) setLed(true);
  if (!isQuiet && !isLed) return children;
  return (
    <Loaded query={players} height={200}>
      {(data) =>
        isLed ? (
          <FirstSteps
            players={data.players}
            everyMs={LOOK_AGAIN_MS}
            onGoOn={() => refresh().then(() => setLed(false))}
          />
        ) : (
          <Quiet span={span} />
        )
      }
    </Loaded>
  );
}

function Quiet({ span: { days, from, to } }: { span: DaySpan }) {
  const params = useStudioAndGame();
  return (
    <EmptyState
      title={days === null ? `No event from ${formatDays(from, to)}` : `No event in the last ${days} days`}
    >
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
