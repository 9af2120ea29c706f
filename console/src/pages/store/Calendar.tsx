import { ActionIcon, Group, NativeSelect, Table, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { barOf, placeOf, type Span } from '../../lib/calendar.js';
import type { ConfigDocument } from '../../lib/document.js';
import {
  daysOfMonth,
  isZone,
  monthAfter,
  monthInWords,
  monthOf,
  spanBetween,
  windowInWords,
  windowsInWords,
} from '../../lib/month.js';
import { EntryLink } from '../../parts/entries.js';
import { Icon } from '../../parts/Icon.js';
import { ZoneInput } from '../../parts/ScheduleFields.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { TableScroll } from '../../parts/TableScroll.js';

const route = getRouteApi('/$studio/$game/store');

/** A month with what runs when, for players of a zone. */
export function Calendar({ document }: { document: ConfigDocument }) {
  const { game } = useStudioAndGame();
  const { month: asked, zone: askedZone, under } = route.useSearch();
  const navigate = route.useNavigate();
  const studioZone = document.calendar?.studioZone ?? 'UTC';
  const zone = askedZone !== undefined && isZone(askedZone) ? askedZone : studioZone;
  const month = monthOf(asked, Date.now(), zone);
  const { from, to, days } = daysOfMonth(month);
  const version = under === 'published' ? 'published' : 'draft';
  const calendar = useGet('getCalendar', { params: { game }, query: { from, to, zone, version } });
  const show = (change: { month?: string; zone?: string; under?: string | undefined }) =>
    navigate({ search: (before) => ({ ...before, ...change }) });
  return (
    <>
      <Group mb="sm" gap="sm" align="flex-end">
        <Group gap={4} wrap="nowrap">
          <MonthButton
            label="Month before"
            icon="back"
            onClick={() => show({ month: monthAfter(month, -1) })}
          />
          <Text fw={600} miw={130} ta="center" aria-live="polite">
            {monthInWords(month)}
          </Text>
          <MonthButton
            label="Month after"
            icon="open"
            onClick={() => show({ month: monthAfter(month, 1) })}
          />
        </Group>
        <ChosenZone key={zone} zone={zone} onChange={(next) => show({ zone: next })} />
        <NativeSelect
          size="xs"
          label="Of"
          value={version}
          data={[
            { value: 'draft', label: 'the saved draft' },
            { value: 'published', label: 'what is published' },
          ]}
          onChange={({ currentTarget }) =>
            show({ under: currentTarget.value === 'published' ? 'published' : undefined })
          }
        />
      </Group>
      <Loaded query={calendar} height={240}>
        {(shown) =>
          shown.entries.length === 0 ? (
            <EmptyState title="Nothing runs in this month">
              <Text size="sm">
                Offers, and SKUs, flags and values with a beginning, an end or a schedule are shown here. Open
                one of them and choose “Only at certain times”.
              </Text>
            </EmptyState>
          ) : (
            <Month shown={shown} days={days} />
          )
        }
      </Loaded>
    </>
  );
}

function MonthButton({
  label,
  icon,
  onClick,
}: {
  label: string;
  icon: 'back' | 'open';
  onClick: () => void;
}) {
  return (
    <ActionIcon variant="default" aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </ActionIcon>
  );
}

/** What is typed counts when it is a zone. */
function ChosenZone({ zone, onChange }: { zone: string; onChange: (zone: string) => void }) {
  const [text, setText] = useState(zone);
  return (
    <ZoneInput
      size="xs"
      label="For players in"
      data={Intl.supportedValuesOf('timeZone')}
      value={text}
      error={isZone(text) ? undefined : 'A name such as Europe/Berlin'}
      onChange={(next) => {
        setText(next);
        if (next !== zone && isZone(next)) onChange(next);
      }}
    />
  );
}

function Month({ shown, days }: { shown: Schemas['CalendarResponse']['data']; days: number }) {
  const { entries, zone, leftOut } = shown;
  const span = spanBetween(shown.from, shown.to);
  return (
    <>
      <TableScroll label="Calendar" minWidth={720}>
        <Table aria-label="Calendar" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={210}>What</Table.Th>
              <Table.Th>
                <DayScale days={days} />
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {entries.map((entry) => (
              <Table.Tr key={`${entry.part} ${entry.id} ${entry.label}`}>
                <Table.Td>
                  <CalendarLink entry={entry} />
                  <Text size="xs" c="dimmed">
                    {KINDS[entry.part] ?? entry.part}
                    {entry.label === '' ? '' : `, ${entry.label}`}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Windows entry={entry} span={span} zone={zone} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      {leftOut > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {leftOut} more are not shown.
        </Text>
      )}
    </>
  );
}

/** The first day of each week of the month. */
function DayScale({ days }: { days: number }) {
  const marks = [1, 8, 15, 22, 29].filter((day) => day <= days);
  return (
    <div className="day-scale" aria-hidden>
      {marks.map((day) => (
        <span key={day} style={{ left: `${((day - 1) / days) * 100}%` }}>
          {day}
        </span>
      ))}
    </div>
  );
}

type Entry = Schemas['CalendarEntry'];

function Windows({ entry, span, zone }: { entry: Entry; span: Span; zone: string }) {
  const now = placeOf(Date.now(), span);
  return (
    <>
      <div className="strip" role="img" aria-label={windowsInWords(entry.windows, zone, 10)}>
        {entry.windows.map((window) => {
          const bar = barOf(window, span);
          return (
            bar && (
              <div
                key={window.from}
                className="strip-bar"
                title={windowInWords(window, zone)}
                style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
              />
            )
          );
        })}
        {now >= 0 && now <= 100 && <div className="strip-now" style={{ left: `${now}%` }} />}
      </div>
      <Text size="xs" c="dimmed">
        {windowsInWords(entry.windows, zone, 1)}
      </Text>
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  offers: 'offer',
  skus: 'SKU',
  flags: 'flag',
  values: 'value',
};

/** Opens the entry where it is edited. */
function CalendarLink({ entry: { part, id } }: { entry: Entry }) {
  const place = useStudioAndGame();
  const navigate = useNavigate();
  const open = () => {
    if (part === 'values')
      return navigate({ to: '/$studio/$game/values', params: place, search: { value: id } });
    if (part === 'flags') {
      const search = { tab: 'flags', flag: id };
      return navigate({ to: '/$studio/$game/settings', params: place, search });
    }
    const search = part === 'offers' ? { tab: 'offers', offer: id } : { tab: 'catalogue', sku: id };
    return navigate({ to: '/$studio/$game/store', params: place, search });
  };
  return <EntryLink name={id} onOpen={() => void open()} />;
}
