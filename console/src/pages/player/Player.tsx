import { Grid, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useExplanation } from '../../api/use-explanation.js';
import { countOf } from '../../lib/format.js';
import { Money } from '../../parts/Money.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { CopyableId, Moment } from '../../parts/texts.js';
import { Devices } from './Devices.js';
import { Flags } from './Flags.js';
import { PredictionsOfPlayer } from './PredictionsOfPlayer.js';
import { SegmentsOfPlayer } from './SegmentsOfPlayer.js';
import { StoreAsSeen } from './StoreAsSeen.js';
import { Timeline } from './Timeline.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** For support agents: why this player sees this. */
export function Player() {
  const { game } = useStudioAndGame();
  const { playerId } = route.useParams();
  const player = useGet('getPlayer', { params: { game, playerId } });
  if (player.error?.code === 'player_not_found') {
    return (
      <EmptyState title="The game has no such player">
        <Text size="sm">
          <span className="mono">{playerId}</span> is the id of no player of {game}. Search by device id or
          transaction id with <kbd>/</kbd>.
        </Text>
      </EmptyState>
    );
  }
  return (
    <Page
      title={
        <Group gap="xs" fz={{ base: 'md', sm: 'h3' }}>
          Player <CopyableId id={playerId} />
        </Group>
      }
    >
      <Loaded query={player} height={80}>
        {(facts) => <Headline facts={facts} />}
      </Loaded>
      <PlayerBody playerId={playerId} />
    </Page>
  );
}

function Headline({ facts }: { facts: Schemas['PlayerFacts'] }) {
  const { profile, createdAt, lastEventAt, purchaseCount, spend, reportedSpend, eventCount } = facts;
  const known = ['deviceType', 'osName', 'osVersion', 'country', 'locale']
    .map((member) => profile[member]?.value)
    .filter((value) => value !== undefined);
  return (
    <Text size="sm" className="figures">
      {known.length === 0 ? 'Nothing known of the device' : known.join(' · ')} · first seen{' '}
      <Moment at={createdAt} /> · last event <Moment at={lastEventAt} /> · {countOf(eventCount, 'event')} ·{' '}
      {countOf(purchaseCount, 'purchase')}
      {purchaseCount === 0 ? '' : ', '}
      {purchaseCount > 0 && <Money paid={spend} reported={reportedSpend} />}
    </Text>
  );
}

function PlayerBody({ playerId }: { playerId: string }) {
  const { at, version } = route.useSearch();
  const explanation = useExplanation({
    playerId,
    ...(at === undefined ? {} : { at }),
    ...(version === undefined ? {} : { version: version === 'draft' ? 'draft' : Number(version) }),
  });
  return (
    <Grid gutter="lg">
      <Grid.Col span={{ base: 12, md: 6 }} order={{ base: 2, md: 1 }}>
        <Stack gap="lg">
          <Flags playerId={playerId} explanation={explanation} />
          <SegmentsOfPlayer explanation={explanation} />
          <PredictionsOfPlayer explanation={explanation} />
          <Timeline playerId={playerId} />
          <Devices playerId={playerId} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }} order={{ base: 1, md: 2 }}>
        <StoreAsSeen explanation={explanation} />
      </Grid.Col>
    </Grid>
  );
}
