import { Alert, Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf, formatCount } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';

const route = getRouteApi('/$studio/$game/events');
/** More names than these are only counted. */
const NAMED = 5;

type EventType = Schemas['EventType'];

/** Types without a schema: those that are probably misspelt, and what becomes of events of such types. */
export function UnregisteredTypes({
  types,
  isCut,
}: {
  types: readonly EventType[];
  /** There are more types than these. */
  isCut: boolean;
}) {
  const misspelt = types.filter(({ looksLike }) => looksLike !== null);
  return (
    <Stack gap="sm" mb="sm">
      {misspelt.length > 0 && <Misspelt types={misspelt} />}
      <Policy unregistered={types.filter(isUnregistered)} isCut={isCut} />
    </Stack>
  );
}

/** Whether events of the type are held while unregistered types are. */
function isUnregistered({ registeredVersion, isBuiltIn }: EventType): boolean {
  return registeredVersion === null && !isBuiltIn;
}

function Misspelt({ types }: { types: readonly EventType[] }) {
  return (
    <Alert
      color="orange"
      variant="light"
      title={
        types.length === 1 ? 'One type is probably misspelt' : `${types.length} types are probably misspelt`
      }
    >
      <List size="sm">
        {types.map(({ eventType, events, looksLike }) => (
          <List.Item key={eventType}>
            <span className="mono">{eventType}</span> ({countOf(events, 'event')}) has none of the effects of{' '}
            <span className="mono">{looksLike}</span>
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        Let the next build of the game send the built-in name. If a type is intended, register a schema for
        it: then it is no longer named here.
      </Text>
    </Alert>
  );
}

function Policy({ unregistered, isCut }: { unregistered: readonly EventType[]; isCut: boolean }) {
  const { game } = useStudioAndGame();
  const { isOwner } = useRole();
  const navigate = route.useNavigate();
  const refresh = useRefresh();
  const found = useGet('getGame', { params: { game } });
  const [isSure, setSure] = useState(false);
  const change = useApiMutation('updateGame', {
    onDone: () => {
      setSure(false);
      refresh('getGame', 'listGames');
    },
  });
  const policy = found.data?.unregisteredTypes;
  if (policy === undefined) return <ProblemNote problem={found.error} onRetry={() => found.refetch()} />;
  const isHeld = policy === 'hold';
  const set = (unregisteredTypes: 'accept' | 'hold') =>
    change.mutate({ params: { game }, body: { unregisteredTypes } });
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" role="status" aria-label="Types without a schema">
          {isHeld
            ? 'Events of types without a schema wait in the inbox. Built-in types are always taken.'
            : 'Events of types without a schema are stored and counted.'}
        </Text>
        {isHeld && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => navigate({ search: { tab: 'failed', reason: 'event_type_unregistered' } })}
          >
            What waits there
          </Anchor>
        )}
        {isOwner && (
          <Button
            size="compact-xs"
            variant="default"
            loading={change.isPending}
            onClick={() => {
              if (isHeld) set('accept');
              else if (isSure) set('hold');
              else setSure(true);
            }}
          >
            {isHeld ? 'Take all types' : isSure ? 'Yes, hold them' : 'Hold them in the inbox'}
          </Button>
        )}
      </Group>
      {isSure && !isHeld && (
        <Text size="sm" c="red">
          {consequence(unregistered, isCut)}
        </Text>
      )}
      <ProblemNote problem={change.error} />
    </Stack>
  );
}

function consequence(unregistered: readonly EventType[], isCut: boolean): string {
  if (unregistered.length === 0 && !isCut) {
    return 'All types that players send have a schema or are built in. An event of another type will wait in the inbox until its type is registered.';
  }
  const names = unregistered.slice(0, NAMED).map(({ eventType }) => eventType);
  const others = unregistered.length - names.length;
  const events = unregistered.reduce((sum, type) => sum + type.events, 0);
  const rest = isCut ? ' and of more types' : others === 0 ? '' : ` and ${countOf(others, 'other type')}`;
  return `The next events of ${names.join(', ')}${rest} will wait in the inbox, and count only once their type is registered and they are replayed. ${formatCount(events)} such events${isCut ? ' and more' : ''} came in these days.`;
}
