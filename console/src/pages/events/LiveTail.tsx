import { Badge, Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useStudioAndGame } from '../../api/hooks.js';
import { usePlayerUrl } from '../../api/player-url.js';
import { eventAsCurl } from '../../lib/event-as-curl.js';
import { formatClock, formatRate } from '../../lib/format.js';
import { shortId } from '../../lib/short-id.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyTextButton } from '../../parts/texts.js';
import { type LiveEvent, useLiveTail } from './use-live-tail.js';

const route = getRouteApi('/$studio/$game/events');

/** What arrives, as it arrives: pause it, filter it, open an event. */
export function LiveTail() {
  const { type = '', player = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [isPaused, setPaused] = useState(false);
  const { events, rate, isConnected, problem } = useLiveTail(isPaused);
  const shown = events.filter(
    ({ eventType, playerId }) =>
      eventType.toLowerCase().includes(type.toLowerCase()) && playerId.includes(player.toLowerCase()),
  );
  const perSecond = rate === null || rate.seconds === 0 ? null : rate.events / rate.seconds;
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Button size="xs" variant={isPaused ? 'filled' : 'default'} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
        <TextInput
          size="xs"
          placeholder="event type"
          aria-label="Only types with this in their name"
          value={type}
          onChange={({ currentTarget }) =>
            navigate({
              search: (before) => ({ ...before, type: currentTarget.value || undefined }),
              replace: true,
            })
          }
        />
        <TextInput
          size="xs"
          placeholder="player"
          aria-label="Only players whose id contains"
          value={player}
          onChange={({ currentTarget }) =>
            navigate({
              search: (before) => ({ ...before, player: currentTarget.value || undefined }),
              replace: true,
            })
          }
        />
        <Badge color={isPaused ? 'gray' : isConnected ? 'teal' : 'orange'} variant="light">
          {isPaused ? 'paused' : isConnected ? 'live' : 'connecting'}
        </Badge>
        {perSecond !== null && !isPaused && (
          <Text size="sm" className="figures">
            {formatRate(perSecond)}
            {rate?.isMore ? ' or more' : ''} events a second
            {rate !== null && rate.shown < rate.events ? ', some of them shown' : ''}
          </Text>
        )}
      </Group>
      <ProblemNote problem={problem} />
      {shown.length === 0 ? (
        <EmptyState
          title={events.length === 0 ? 'Waiting for the next event' : 'Nothing that arrived matches'}
        >
          <Text size="sm">
            {events.length === 0
              ? 'Every event appears here within a second of its receipt. Keep this page open and play.'
              : 'Change the filter to see the others.'}
          </Text>
        </EmptyState>
      ) : (
        <section aria-label="Events as they arrive">
          {shown.map((event) => (
            <TailLine key={event.key} event={event} />
          ))}
        </section>
      )}
    </Stack>
  );
}

function TailLine({ event }: { event: LiveEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <UnstyledButton className="tail-line" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
        <Text size="xs" c="dimmed" className="figures">
          {formatClock(event.receivedAt)}
        </Text>
        <Text size="sm" fw={600}>
          {event.eventType}
        </Text>
        <Text size="xs" c="dimmed" truncate className="mono">
          {shortId(event.playerId)} {JSON.stringify(event.payload)}
        </Text>
      </UnstyledButton>
      {isOpen && <OpenEvent event={event} />}
    </div>
  );
}

function OpenEvent({ event }: { event: LiveEvent }) {
  const { studio, game } = useStudioAndGame();
  const playerUrl = usePlayerUrl();
  const { key: _, ...told } = event;
  const text = JSON.stringify(told, null, 2);
  return (
    <Group align="flex-start" wrap="nowrap" p="xs">
      <pre className="source mono">{text}</pre>
      <Stack gap={4} align="flex-start">
        <CopyTextButton text={text} label="Copy as JSON" />
        {playerUrl !== undefined && (
          <CopyTextButton text={eventAsCurl(playerUrl, studio, event)} label="Copy as curl" />
        )}
        <Link to="/$studio/$game/players/$playerId" params={{ studio, game, playerId: event.playerId }}>
          player
        </Link>
      </Stack>
    </Group>
  );
}
