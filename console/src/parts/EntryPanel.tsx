import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../lib/document.js';
import { ProblemLines } from './entries.js';
import { SidePanel } from './SidePanel.js';

export type EntryProblem = Problem & { member: string };

type Props = {
  /** `Offer`, `Segment`, `Flag`, `Value`. */
  kind: string;
  id: string;
  /** The member that holds the id: `offerId`. */
  idMember: string;
  /** Why the id cannot be changed any more. */
  fixedId?: string | undefined;
  name: string;
  /** The member that the second field is about, and its label: `name`, unless said otherwise. */
  nameMember?: string;
  nameLabel?: string;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  removeLabel: string;
  /** Members whose problems are not shown beside a field. */
  isElsewhere?: (member: string) => boolean;
  onId: (id: string) => void;
  onName: (name: string) => void;
  onRemove: () => void;
  onClose: () => void;
  children: ReactNode;
  /** Shown below the form; also works for viewers. */
  below?: ReactNode;
  /** Shown beside the form, or below it on a narrow screen; also works for viewers. */
  beside?: ReactNode;
};

/** An entry of the document beside its list: id, name, further fields, and the problems that belong to no field. */
export function EntryPanel({
  kind,
  id,
  idMember,
  fixedId,
  name,
  nameMember = 'name',
  nameLabel = 'Name',
  isReadOnly,
  problems,
  removeLabel,
  isElsewhere = (member) => member === '',
  onId,
  onName,
  onRemove,
  onClose,
  children,
  below,
  beside,
}: Props) {
  const problemAt = problemAtOf(problems);
  return (
    <SidePanel
      title={`${kind} ${id}`}
      isOpen
      isWide={beside !== undefined}
      onClose={onClose}
      actions={
        !isReadOnly && (
          <Button variant="subtle" color="red" onClick={onRemove}>
            {removeLabel}
          </Button>
        )
      }
    >
      <div className="side-by-side">
        <fieldset disabled={isReadOnly} className="plain">
          <Stack gap="sm">
            <Group grow align="flex-start">
              <TextInput
                label="Id"
                description={fixedId}
                disabled={fixedId !== undefined}
                value={id}
                error={problemAt(idMember)}
                onChange={({ currentTarget }) => onId(currentTarget.value)}
              />
              <TextInput
                label={nameLabel}
                value={name}
                error={problemAt(nameMember)}
                onChange={({ currentTarget }) => onName(currentTarget.value)}
              />
            </Group>
            {children}
            <ProblemLines problems={problems.filter(({ member }) => isElsewhere(member))} size="sm" />
          </Stack>
        </fieldset>
        {beside}
      </div>
      {below}
    </SidePanel>
  );
}

/** The sentence about a member, or about anything in it. */
export function problemWithinOf(problems: readonly EntryProblem[]): (member: string) => string | undefined {
  return (member) =>
    problems.find((each) => each.member === member || each.member.startsWith(`${member}/`))?.message;
}

/** The sentence about a member, if something is wrong with it. */
export function problemAtOf(problems: readonly EntryProblem[]): (member: string) => string | undefined {
  return (member) => problems.find((each) => each.member === member)?.message;
}
