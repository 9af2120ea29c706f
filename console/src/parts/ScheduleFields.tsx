import { Autocomplete, Button, Chip, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  daysOf,
  EVERY,
  type Every,
  everyOf,
  NEW_SCHEDULE,
  readDates,
  type Schedule,
  type ScheduleDays,
  scheduleInWords,
  WEEKDAYS,
} from '../lib/schedule-form.js';
import { WholeNumberInput } from './fields.js';

type Props = {
  schedule: Schedule | undefined;
  /** What is wrong with a member of the schedule, such as `zone`. */
  problemAt: (member: string) => string | undefined;
  isReadOnly: boolean;
  /** Undefined: no schedule. */
  onChange: (schedule: Schedule | undefined) => void;
};

/** When something is open again and again: days, local times, and whose time. */
export function ScheduleFields({ schedule, problemAt, isReadOnly, onChange }: Props) {
  if (schedule === undefined) {
    return isReadOnly ? null : (
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange(NEW_SCHEDULE)}>
          Only at certain times
        </Button>
      </Group>
    );
  }
  const set = (change: Partial<Schedule>) => onChange({ ...schedule, ...change });
  return (
    <Stack gap="xs" role="group" aria-label="Schedule">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">{scheduleInWords(schedule)}</Text>
        {!isReadOnly && (
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => onChange(undefined)}>
            All the time
          </Button>
        )}
      </Group>
      <DayFields days={schedule.days} problemAt={problemAt} onChange={(days) => set({ days })} />
      <TimeFields schedule={schedule} problemAt={problemAt} onChange={onChange} />
      <ZoneInput
        label="Whose time"
        description="player, studio, or a zone such as Europe/Berlin"
        data={['player', 'studio', ...Intl.supportedValuesOf('timeZone')]}
        value={schedule.zone}
        error={problemAt('zone')}
        onChange={(zone) => set({ zone })}
      />
      <DateFields schedule={schedule} problemAt={problemAt} onChange={set} />
    </Stack>
  );
}

function DayFields({
  days,
  problemAt,
  onChange,
}: Pick<Props, 'problemAt'> & { days: ScheduleDays; onChange: (days: ScheduleDays) => void }) {
  return (
    <>
      <NativeSelect
        label="Days"
        value={everyOf(days)}
        data={EVERY}
        error={problemAt('days')}
        onChange={({ currentTarget }) => onChange(daysOf(currentTarget.value as Every))}
      />
      {days.every === 'week' && (
        <>
          <Chip.Group
            multiple
            value={days.weekdays.map(String)}
            onChange={(chosen) => onChange({ ...days, weekdays: chosen.map(Number).sort((a, b) => a - b) })}
          >
            <Group gap={4}>
              {WEEKDAYS.map((name, index) => (
                <Chip key={name} size="xs" value={String(index + 1)}>
                  {name}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <WholeNumberInput
            label="Every how many weeks"
            description="2: every other week, from the week of the first date on"
            value={days.everyWeeks ?? 1}
            error={problemAt('days/everyWeeks')}
            onChange={(everyWeeks) => onChange({ ...days, everyWeeks: everyWeeks ?? 1 })}
          />
        </>
      )}
      {days.every === 'month' && days.day !== 'last' && (
        <WholeNumberInput
          label="Day of the month"
          value={days.day}
          error={problemAt('days/day')}
          onChange={(day) => onChange({ every: 'month', day: day ?? 1 })}
        />
      )}
    </>
  );
}

function TimeFields({
  schedule,
  problemAt,
  onChange,
}: Pick<Props, 'problemAt'> & { schedule: Schedule; onChange: (schedule: Schedule) => void }) {
  const { to, lengthMinutes, ...rest } = schedule;
  const isLength = to === undefined;
  return (
    <Group grow align="flex-start">
      <TextInput
        label="Opens at"
        type="time"
        value={schedule.from}
        error={problemAt('from')}
        onChange={({ currentTarget }) => onChange({ ...schedule, from: currentTarget.value })}
      />
      <NativeSelect
        label="Until"
        value={isLength ? 'length' : 'time'}
        data={[
          { value: 'time', label: 'a local time' },
          { value: 'length', label: 'so many minutes' },
        ]}
        onChange={({ currentTarget }) =>
          onChange(
            currentTarget.value === 'time' ? { ...rest, to: '20:00' } : { ...rest, lengthMinutes: 120 },
          )
        }
      />
      {isLength ? (
        <WholeNumberInput
          label="Minutes"
          value={lengthMinutes ?? null}
          error={problemAt('lengthMinutes')}
          onChange={(minutes) => onChange({ ...rest, lengthMinutes: minutes ?? 1 })}
        />
      ) : (
        <TextInput
          label="Closes at"
          description={to <= schedule.from ? 'on the next day' : undefined}
          type="time"
          value={to}
          error={problemAt('to')}
          onChange={({ currentTarget }) => onChange({ ...rest, to: currentTarget.value })}
        />
      )}
    </Group>
  );
}

export function ZoneInput({
  value,
  onChange,
  ...rest
}: {
  label: string;
  description?: string;
  data: readonly string[];
  value: string;
  error?: string | undefined;
  size?: 'xs';
  onChange: (zone: string) => void;
}) {
  return <Autocomplete limit={30} value={value} onChange={onChange} {...rest} data={[...rest.data]} />;
}

function DateFields({
  schedule,
  problemAt,
  onChange,
}: Pick<Props, 'problemAt'> & { schedule: Schedule; onChange: (change: Partial<Schedule>) => void }) {
  const [except, setExcept] = useState(schedule.except.join(' '));
  const isWrong = readDates(except) === undefined;
  return (
    <>
      <Group grow align="flex-start">
        <TextInput
          label="First date"
          type="date"
          value={schedule.firstDate ?? ''}
          error={problemAt('firstDate')}
          onChange={({ currentTarget }) => onChange({ firstDate: currentTarget.value || null })}
        />
        <TextInput
          label="Last date"
          type="date"
          value={schedule.lastDate ?? ''}
          error={problemAt('lastDate')}
          onChange={({ currentTarget }) => onChange({ lastDate: currentTarget.value || null })}
        />
      </Group>
      <TextInput
        label="But not on"
        description="Dates such as 2026-12-24, with spaces between them"
        value={except}
        error={isWrong ? 'Write dates such as 2026-12-24.' : problemAt('except')}
        onChange={({ currentTarget }) => {
          setExcept(currentTarget.value);
          const dates = readDates(currentTarget.value);
          if (dates !== undefined) onChange({ except: dates });
        }}
      />
    </>
  );
}
