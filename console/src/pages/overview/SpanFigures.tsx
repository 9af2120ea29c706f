import { Text } from '@mantine/core';
import type { DataOf } from '../../api/client.js';
import { formatMoney, formatShare } from '../../lib/format.js';
import { changeOf, conversionFigure, retentionFigure, revenuePerInstall } from '../../lib/headline.js';
import { Change, FigureCard } from './FigureCard.js';

type Dashboard = DataOf<'getDashboard'>;

const RETENTION = 'Of the players of seven start days that are over, how many had an event on exactly the';

/** Retention, revenue per install and conversion: each over several days, so that one good day does not decide. */
export function SpanFigures({ data, today }: { data: Dashboard | undefined; today: string }) {
  const days = data?.days ?? [];
  const cohorts = data?.cohorts ?? [];
  const currency = days.at(-1)?.reported?.currency;
  const money = (value: number) => formatMoney(value, currency ?? '');
  const figures = [
    {
      id: 'retention1',
      name: 'Day-1 retention',
      definition: `${RETENTION} 1st day after`,
      figure: retentionFigure(cohorts, '1'),
      format: formatShare,
      before: 'the 7 days before',
      colour: 2,
    },
    {
      id: 'retention7',
      name: 'Day-7 retention',
      definition: `${RETENTION} 7th day after`,
      figure: retentionFigure(cohorts, '7'),
      format: formatShare,
      before: 'the 7 days before',
      colour: 2,
    },
    {
      id: 'revenuePerInstall',
      name: 'Revenue per install, 30 days',
      definition:
        'Revenue of the last 30 days that are over, divided by the new players of these days, in the reporting currency',
      figure: revenuePerInstall(days, today),
      format: money,
      before: 'a week before',
      colour: 3,
    },
    {
      id: 'conversion',
      name: 'Conversion, 30 days',
      definition:
        'Payers of the 30 days that end today divided by the active players of these days, each counted once',
      figure: conversionFigure(days, today),
      format: formatShare,
      before: 'a week before',
      colour: 1,
    },
  ];
  return figures.map(({ id, name, definition, figure: { value, before, line }, format, ...rest }) => (
    <FigureCard
      key={id}
      id={id}
      name={name}
      definition={definition}
      value={value === null ? '–' : format(value)}
      line={line}
      to={id === 'revenuePerInstall' ? '/$studio/$game/store' : '/$studio/$game/players'}
      colour={rest.colour}
    >
      <Text size="xs" c="dimmed" className="figures" component="div">
        {before === null ? 'nothing to compare with yet' : `${rest.before} ${format(before)}`}
        <Change change={changeOf(value, before)} against="that" />
      </Text>
    </FigureCard>
  ));
}
