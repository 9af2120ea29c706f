import { ActionIcon, Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { Fragment } from 'react';
import { formatInstant, formatRelative } from '../lib/format.js';
import { partsOfSentence } from '../lib/sentence.js';
import { Icon } from './Icon.js';

/** An id, shortened where there is little space. The copy button copies all of it. */
export function CopyableId({ id, isShort = false }: { id: string; isShort?: boolean }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Text span className="mono" title={id}>
        {isShort ? `${id.slice(0, 8)}…` : id}
      </Text>
      <CopyIcon text={id} label={`Copy ${id}`} />
    </Group>
  );
}

export function CopyIcon({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          onClick={copy}
          aria-label={copied ? 'Copied' : label}
        >
          <Icon name={copied ? 'check' : 'copy'} size={14} />
        </ActionIcon>
      )}
    </CopyButton>
  );
}

/** Where an icon would not say what is copied. */
export function CopyTextButton({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}

/** A command or a secret, with a copy button. */
export function CopyableCode({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    // A long command is wrapped, so that all of it can be read, and the copy button stays on a narrow page.
    <Group gap="xs" wrap="nowrap" align="flex-start" maw="100%">
      <Code block className="wrapped" flex={1} miw={0}>
        {text}
      </Code>
      <CopyIcon text={text} label={label} />
    </Group>
  );
}

/** Who did something: by name, with the address on hover, because names are not unique. */
export function Person({ name, email }: { name: string; email: string | null }) {
  return <span {...(email === null ? {} : { title: email })}>{name}</span>;
}

/** A relative time; the exact instant, local and in UTC, on hover. */
export function Moment({ at, isExact = false }: { at: string | null; isExact?: boolean }) {
  if (at === null) return <Text span>–</Text>;
  const local = formatInstant(at);
  return (
    <time dateTime={at} className="nowrap" title={`${local} · ${new Date(at).toISOString()} UTC`}>
      {isExact ? local : formatRelative(Date.parse(at), Date.now())}
    </time>
  );
}

/** A sentence of the service about a player. The service writes moments in UTC; people read them in their own zone. */
export function Sentence({ text }: { text: string }) {
  return partsOfSentence(text).map(({ at, words }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name, and change only as a whole.
    <Fragment key={index}>{at === undefined ? words : <Moment at={at} isExact />}</Fragment>
  ));
}
