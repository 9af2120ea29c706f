import { Button, Group, Table, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import { type Mark, placeMarks } from '../lib/marks.js';
import { labelledPlaces, spacedPlaces, ticksUpTo } from '../lib/scale.js';
import { SERIES } from '../theme.js';
import { HiddenHeader, TableScroll } from './TableScroll.js';

export type Series = {
  name: string;
  values: readonly (number | null)[];
  /** Index of the colour; the same measure has the same colour on all pages. */
  colour?: number;
  kind?: 'line' | 'bars' | 'dots';
};
type Props = {
  label: string;
  /** A name for each position of the horizontal axis. */
  places: readonly string[];
  /** Each position, from 0 to 1; evenly spaced if left out. */
  positions?: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
  /** What happened at a position, such as a publication. */
  marks?: readonly Mark[];
  /** The diagonal: predicted equals observed. */
  hasDiagonal?: boolean;
  /** The values are whole numbers, and so are the marks of the vertical axis. */
  isCount?: boolean;
  /** The top of the vertical axis; by default what the values need. */
  top?: number;
  height?: number;
};

const MARK_ROWS = 3;
const MARK_HEIGHT = 13;
const EDGE = { top: 14, right: 14, bottom: 22, left: 52 };
const MARK_COLOURS = { version: SERIES[5], build: SERIES[2] };
/** Pixels that a label of the horizontal axis needs at least, and each of its characters. */
const LABEL_WIDTH = 70;
const CHARACTER_WIDTH = 7;

/** The one chart of the console: lines, bars or dots from zero, with a table of the same numbers. */
export function Chart(props: Props) {
  const [isTable, setTable] = useState(false);
  const { label, series } = props;
  return (
    <figure aria-label={label} className="plain-figure">
      <Group justify="space-between" gap="xs" mb={4}>
        <Group gap="md">
          {series.length > 1 &&
            series.map(({ name, colour = 0 }) => (
              <Text key={name} size="xs">
                <svg width={10} height={10} aria-hidden="true">
                  <rect width={10} height={10} rx={2} fill={SERIES[colour]} />
                </svg>{' '}
                {name}
              </Text>
            ))}
        </Group>
        <Button size="compact-xs" variant="subtle" onClick={() => setTable(!isTable)}>
          {isTable ? 'Chart' : 'Table'}
        </Button>
      </Group>
      {isTable ? <Numbers {...props} /> : <Drawing {...props} />}
    </figure>
  );
}

function Drawing({
  label,
  places,
  positions,
  series,
  format,
  marks = [],
  hasDiagonal = false,
  isCount = false,
  top: wantedTop,
  height = 220,
}: Props) {
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<number | null>(null);
  const innerWidth = Math.max(60, width - EDGE.left - EDGE.right);
  const band = innerWidth / Math.max(1, places.length);
  const x = (place: number) =>
    EDGE.left + (positions === undefined ? band * (place + 0.5) : (positions[place] ?? 0) * innerWidth);
  const placed = placeMarks(marks, { x, right: EDGE.left + innerWidth, rows: MARK_ROWS });
  // Each row of labels above the first one takes its height from the drawing.
  const edgeTop = EDGE.top + Math.max(0, ...placed.map(({ row }) => row ?? 0)) * MARK_HEIGHT;
  const innerHeight = height - edgeTop - EDGE.bottom;
  const ticks = ticksUpTo(
    wantedTop ?? Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))),
    { isCount },
  );
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => edgeTop + innerHeight * (1 - Math.min(value, top) / top);
  const labelWidth = Math.max(LABEL_WIDTH, ...places.map((place) => place.length * CHARACTER_WIDTH));
  const shown =
    positions === undefined
      ? labelledPlaces(places.length, Math.floor(innerWidth / labelWidth))
      : spacedPlaces(
          places.map((_, place) => x(place)),
          labelWidth,
        );
  const nearest = (clientX: number, left: number) => {
    const at = clientX - left;
    const distances = places.map((_, place) => Math.abs(x(place) - at));
    return distances.indexOf(Math.min(...distances));
  };
  return (
    <div ref={ref} className="chart">
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={label}
          onMouseMove={({ clientX, currentTarget }) =>
            setHovered(nearest(clientX, currentTarget.getBoundingClientRect().left))
          }
          onMouseLeave={() => setHovered(null)}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line className="grid" x1={EDGE.left} x2={EDGE.left + innerWidth} y1={y(tick)} y2={y(tick)} />
              <text x={EDGE.left - 6} y={y(tick) + 4} textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {shown.map((place) => {
            const text = places[place] ?? '';
            const isCut = x(place) + (text.length * CHARACTER_WIDTH) / 2 > width;
            return (
              <text
                key={text}
                x={isCut ? width : x(place)}
                y={height - 6}
                textAnchor={isCut ? 'end' : 'middle'}
              >
                {text}
              </text>
            );
          })}
          {hasDiagonal && (
            <line
              x1={EDGE.left}
              x2={EDGE.left + innerWidth}
              y1={y(0)}
              y2={y(top)}
              stroke="currentColor"
              strokeDasharray="4 4"
              opacity={0.5}
            />
          )}
          {placed.map(({ place, label: name, kind, title, row, from }) => (
            <g key={`${kind} ${place}`}>
              <title>{title}</title>
              <line
                x1={x(place)}
                x2={x(place)}
                y1={edgeTop - (row === null ? 0 : row * MARK_HEIGHT)}
                y2={y(0)}
                stroke={MARK_COLOURS[kind]}
                {...(kind === 'version' ? { strokeDasharray: '2 3' } : {})}
              />
              {row !== null && (
                <text
                  x={from < x(place) ? x(place) - 3 : x(place) + 3}
                  y={edgeTop - row * MARK_HEIGHT - 3}
                  textAnchor={from < x(place) ? 'end' : 'start'}
                >
                  {name}
                </text>
              )}
            </g>
          ))}
          {series.map((each) => (
            <Shape key={each.name} series={each} x={x} y={y} band={band} />
          ))}
          {hovered !== null && (
            <line className="grid" x1={x(hovered)} x2={x(hovered)} y1={edgeTop} y2={y(0)} strokeWidth={2} />
          )}
        </svg>
      )}
      <Text size="xs" mih={18} className="figures" aria-live="polite">
        {hovered !== null &&
          `${places[hovered]}: ${series
            .map(({ name, values }) => `${name} ${values[hovered] == null ? '–' : format(values[hovered])}`)
            .join(' · ')}`}
      </Text>
    </div>
  );
}

function Shape({
  series: { values, colour = 0, kind = 'line' },
  x,
  y,
  band,
}: {
  series: Series;
  x: (place: number) => number;
  y: (value: number) => number;
  band: number;
}) {
  const points = values.flatMap((value, place) => (value === null ? [] : [{ place, value }]));
  const fill = SERIES[colour];
  if (kind === 'bars') {
    const width = Math.max(1, band * 0.7);
    return points.map(({ place, value }) => (
      <rect
        key={place}
        x={x(place) - width / 2}
        y={y(value)}
        width={width}
        height={y(0) - y(value)}
        fill={fill}
      />
    ));
  }
  return (
    <>
      {kind === 'line' && (
        <polyline
          points={points.map(({ place, value }) => `${x(place)},${y(value)}`).join(' ')}
          fill="none"
          stroke={fill}
          strokeWidth={2}
        />
      )}
      {(kind === 'dots' || points.length < 3) &&
        points.map(({ place, value }) => (
          <circle key={place} cx={x(place)} cy={y(value)} r={4} fill={fill} />
        ))}
    </>
  );
}

function Numbers({ label, places, series, format }: Props) {
  return (
    <TableScroll label={label} minWidth={260} maxHeight={320}>
      <Table aria-label={label} verticalSpacing={3}>
        <Table.Thead>
          <Table.Tr>
            <HiddenHeader text="Place" />
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.map((name, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two places may have the same name, and their order is fixed
            <Table.Tr key={place}>
              <Table.Td>{name}</Table.Td>
              {series.map((each) => (
                <Table.Td key={each.name} ta="right">
                  {each.values[place] == null ? '–' : format(each.values[place])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableScroll>
  );
}
