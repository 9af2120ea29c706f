import { Anchor, Button, Text } from '@mantine/core';
import type { Problem } from '../lib/document.js';
import { Icon } from './Icon.js';

/** What the lists of entries of the draft have in common. */

export function AddButton({
  label,
  isReady = true,
  onClick,
}: {
  label: string;
  /** Until the draft is there, nothing can be added to it. */
  isReady?: boolean;
  onClick: () => void;
}) {
  return (
    <Button size="xs" leftSection={<Icon name="plus" size={14} />} disabled={!isReady} onClick={onClick}>
      {label}
    </Button>
  );
}

/** The name of an entry, which opens its panel. */
export function EntryLink({ name, isMono, onOpen }: { name: string; isMono?: boolean; onOpen: () => void }) {
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      ta="left"
      {...(isMono && { className: 'mono' })}
      onClick={onOpen}
    >
      {name}
    </Anchor>
  );
}

export function ProblemLines({
  problems,
  size = 'xs',
}: {
  problems: readonly Problem[];
  size?: 'xs' | 'sm';
}) {
  return problems.map(({ pointer, message }) => (
    <Text key={`${pointer} ${message}`} size={size} c="red" role="alert">
      {message}
    </Text>
  ));
}
