import { Card, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStudioAndGame } from '../../api/hooks.js';
import type { Measure } from '../../lib/dashboard.js';
import { formatShare } from '../../lib/format.js';
import { Sparkline } from '../../parts/Sparkline.js';

/** A headline figure with its line and its definition on hover. It links to where its players or events are. */
export function FigureCard({
  id,
  name,
  definition,
  value,
  line,
  to,
  colour,
  children,
}: {
  id: string;
  name: string;
  definition: string;
  value: string;
  line: readonly number[];
  to: Measure['to'] | '/$studio/$game';
  colour: number;
  children: ReactNode;
}) {
  const { studio, game } = useStudioAndGame();
  return (
    <Tooltip label={definition} multiline w={260} withArrow>
      <Card
        withBorder
        padding="sm"
        renderRoot={(props) => <Link {...props} to={to} params={{ studio, game }} />}
      >
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        <Text fw={700} size="lg" className="figures" data-figure={id}>
          {value}
        </Text>
        {children}
        <Sparkline values={line} label={`${name}: the last ${line.length} days`} colour={colour} isWide />
      </Card>
    </Tooltip>
  );
}

/** More or less than before, in words and with a sign: not by colour alone. Nothing where there is nothing to compare with. */
export function Change({ change, against }: { change: number | null; against: string }) {
  if (change === null) return null;
  const rounded = Math.round(change * 100);
  const sign = rounded > 0 ? '▲ +' : rounded < 0 ? '▼ −' : '±';
  const colour = rounded > 0 ? 'teal' : rounded < 0 ? 'orange' : 'dimmed';
  return (
    <Text size="xs" c={colour} fw={600} className="figures" data-change={rounded}>
      {sign}
      {formatShare(Math.abs(rounded) / 100)} on {against}
    </Text>
  );
}
