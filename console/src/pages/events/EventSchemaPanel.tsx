import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { indented, parseJson } from '../../lib/json-text.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { Loaded, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

/** What a schema looks like, to begin with. */
const EXAMPLE = {
  type: 'object',
  properties: {
    payload: {
      type: 'object',
      required: ['level'],
      properties: { level: { type: 'integer', minimum: 1 } },
    },
  },
};

/** The schema of an event type: registered, replaced by the next version, or retired. */
export function EventSchemaPanel({
  eventType,
  isRegistered,
  onClose,
}: {
  /** Undefined for a type that is named here. */
  eventType: string | undefined;
  isRegistered: boolean;
  onClose: () => void;
}) {
  const { game } = useStudioAndGame();
  const found = useGet(
    'getEventSchema',
    { params: { game }, query: { eventType: eventType ?? '' } },
    { enabled: isRegistered },
  );
  const [done, setDone] = useState<DataOf<'registerEventSchema'>>();
  const form = { eventType, onRegistered: setDone, onClose };
  return (
    <SidePanel
      title={eventType === undefined ? 'Register a schema' : `Schema of ${eventType}`}
      isOpen
      onClose={onClose}
    >
      {done !== undefined && (
        <Alert color="teal" variant="light" role="status" title={`Version ${done.version} is registered`}>
          Events that do not match wait in the inbox from the next request on.
          {done.warnings.map((warning) => (
            <Text key={warning} size="sm">
              Without effect: {warning}
            </Text>
          ))}
        </Alert>
      )}
      {isRegistered ? (
        <Loaded query={found}>
          {(schema) => <SchemaForm key={schema.version} present={schema} {...form} />}
        </Loaded>
      ) : (
        <SchemaForm present={null} {...form} />
      )}
    </SidePanel>
  );
}

function SchemaForm({
  eventType,
  present,
  onRegistered,
  onClose,
}: {
  eventType: string | undefined;
  present: DataOf<'getEventSchema'> | null;
  onRegistered: (registered: DataOf<'registerEventSchema'>) => void;
  onClose: () => void;
}) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [name, setName] = useState(eventType ?? '');
  const [text, setText] = useState(() => indented(present?.schema ?? EXAMPLE));
  const [isSure, setSure] = useState(false);
  const parsed = parseJson(text);
  const register = useApiMutation('registerEventSchema', {
    onDone: (registered) => {
      refresh('listEventTypes', 'getEventSchema');
      onRegistered(registered);
    },
  });
  const retire = useApiMutation('retireEventType', {
    onDone: () => {
      refresh('listEventTypes', 'getEventSchema');
      onClose();
    },
  });
  const query = { eventType: name.trim() };
  return (
    <Stack gap="sm">
      {present !== null && (
        <Text size="sm" c="dimmed">
          Version {present.version}, registered by {present.author} <Moment at={present.createdAt} />.
        </Text>
      )}
      {eventType === undefined && (
        <TextInput
          label="Event type"
          description="As games send it, such as Level_Complete"
          value={name}
          maxLength={128}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
      <Textarea
        label="JSON Schema"
        description="Draft 2020-12, for the whole event: eventType, timestamp, payload, metadata"
        autosize
        minRows={10}
        maxRows={28}
        spellCheck={false}
        readOnly={!isEditor}
        classNames={{ input: 'mono' }}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={parsed === undefined ? 'This is not valid JSON.' : undefined}
      />
      <ProblemNote problem={register.error ?? retire.error} />
      {isEditor && (
        <Group justify="space-between">
          {present !== null && present.retiredAt === null ? (
            <Button
              variant="subtle"
              color="red"
              loading={retire.isPending}
              onClick={() => (isSure ? retire.mutate({ params: { game }, query }) : setSure(true))}
            >
              {isSure ? 'Yes, accept any event of this type' : 'Check it no longer'}
            </Button>
          ) : (
            <span />
          )}
          <Button
            disabled={parsed === undefined || query.eventType === ''}
            loading={register.isPending}
            onClick={() => register.mutate({ params: { game }, query, body: { schema: parsed } })}
          >
            {present === null ? 'Register the schema' : 'Register as the next version'}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
