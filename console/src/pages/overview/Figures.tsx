import { Group, SimpleGrid, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useEventRate } from '../../api/use-event-rate.js';
import { useOriginals } from '../../api/use-originals.js';
import { daysBefore, MEASURES, type Measure } from '../../lib/dashboard.js';
import { formatCount, formatRate, formatWeekday } from '../../lib/format.js';
import { changeOf, lineOf } from '../../lib/headline.js';
import { figureIn, moneyText } from '../../lib/money.js';
import { firstCohortDay } from '../../lib/retention.js';
import { Change, FigureCard } from './FigureCard.js';
import { SpanFigures } from './SpanFigures.js';

type Day = Schemas['DashboardDay'];

/** What a studio lives on comes first, what arrives comes last. */
const FIRST = MEASURES.filter(({ figure }) => figure === 'first');
const LAST = MEASURES.filter(({ figure }) => figure === 'last');

/** Today so far, yesterday with its change against the same weekday before, and the figures that span several days. */
export function Figures({ today, days }: { today: Day; days: readonly Day[] }) {
  const { game } = useStudioAndGame();
  const query = { from: firstCohortDay(today.day), to: today.day };
  const wide = useGet('getDashboard', { params: { game }, query }, { everyMs: 60_000, keepPrevious: true });
  const figure = (measure: Measure) => (
    <DayFigure key={measure.id} measure={measure} today={today} days={wide.data?.days ?? days} />
  );
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      {FIRST.map(figure)}
      <SpanFigures data={wide.data} today={today.day} />
      {LAST.map(figure)}
    </SimpleGrid>
  );
}

function DayFigure({ measure, today, days }: { measure: Measure; today: Day; days: readonly Day[] }) {
  const [isOriginal] = useOriginals();
  const on = (back: number) => days.find(({ day }) => day === daysBefore(today.day, back));
  const numberOf = (day: Day | undefined) => (day === undefined ? null : measure.numberOf(day));
  const show = (day: Day | undefined) => {
    if (day === undefined) return '–';
    if (measure.id === 'revenue') return moneyText(day.revenue, isOriginal ? null : figureIn(day.reported));
    return formatCount(measure.numberOf(day) ?? 0);
  };
  const [yesterday, weekAgo, weekBefore] = [on(1), on(7), on(8)];
  const line = lineOf(days, today.day, measure.numberOf);
  return (
    <FigureCard
      id={measure.id}
      name={`${measure.name} today`}
      definition={measure.definition}
      value={show(today)}
      line={line}
      to={measure.to}
      colour={measure.colour}
    >
      <Text size="xs" c="dimmed" className="figures" component="div">
        yesterday {show(yesterday)}
        <Change
          change={changeOf(numberOf(yesterday), numberOf(weekBefore))}
          against={`the ${formatWeekday(daysBefore(today.day, 8))} before`}
        />
      </Text>
      <Text size="xs" c="dimmed" className="figures">
        a week ago <span data-figure-last-week={measure.id}>{show(weekAgo)}</span>
      </Text>
      {measure.id === 'activePlayers' && <ActivePlayers today={today} />}
      {measure.id === 'events' && <EventsNow />}
    </FigureCard>
  );
}

/** Each player counts once. Unknown until maintenance has summed the day for the first time. */
function ActivePlayers({ today }: { today: Day }) {
  const { weeklyActivePlayers: weekly, monthlyActivePlayers: monthly } = today;
  const show = (players: number | null) => (players === null ? '–' : formatCount(players));
  return (
    <Text size="xs" c="dimmed" className="figures">
      7 days <span data-figure="weeklyActivePlayers">{show(weekly)}</span>, 30 days{' '}
      <span data-figure="monthlyActivePlayers">{show(monthly)}</span>
    </Text>
  );
}

/** What arrives now: unknown until the second look. */
function EventsNow() {
  const perSecond = useEventRate();
  return (
    <Group gap={6} wrap="nowrap">
      <span className={perSecond ? 'dot' : 'dot quiet'} aria-hidden="true" />
      <Text size="xs" fw={600} className="figures nowrap">
        <span data-figure="eventsPerSecond">{perSecond === undefined ? '–' : formatRate(perSecond)}</span> a
        second now
      </Text>
    </Group>
  );
}
