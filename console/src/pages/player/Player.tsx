import { Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useExplanation } from '../../api/use-explanation.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { CopyableId } from '../../parts/texts.js';
import { AttributesOfPlayer } from './AttributesOfPlayer.js';
import { Devices } from './Devices.js';
import { ErasePlayer } from './ErasePlayer.js';
import { ExperimentsOfPlayer } from './ExperimentsOfPlayer.js';
import { Flags } from './Flags.js';
import { Headline } from './Headline.js';
import { Notes } from './Notes.js';
import { PredictionsOfPlayer } from './PredictionsOfPlayer.js';
import { SegmentsOfPlayer } from './SegmentsOfPlayer.js';
import { StoreAsSeen } from './StoreAsSeen.js';
import { Timeline } from './Timeline.js';
import { ValuesOfPlayer } from './ValuesOfPlayer.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** For support agents: who this is, what they paid, what happened last, and why they see what they see. */
export function Player() {
  const { game } = useStudioAndGame();
  const { playerId } = route.useParams();
  const { isEditor } = useRole();
  const player = useGet('getPlayer', { params: { game, playerId } });
  if (player.error?.code === 'player_not_found') {
    return (
      <EmptyState title="The game has no such player">
        <Text size="sm">
          <span className="mono">{playerId}</span> is the id of no player of {game}. Search by a part of the
          id, a device id or a transaction id with <kbd>/</kbd>.
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
      actions={
        isEditor && (
          <Group gap="xs">
            <DownloadButton
              operation="exportPlayer"
              request={{ params: { game, playerId } }}
              fileName={`player-${playerId}.json`}
              label="Export all data"
            />
            <ErasePlayer playerId={playerId} />
          </Group>
        )
      }
    >
      <Loaded query={player} height={80}>
        {(facts) => <Headline facts={facts} />}
      </Loaded>
      <PlayerBody playerId={playerId} />
    </Page>
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
    <div className="player-body">
      <div className="player-notes">
        <Notes playerId={playerId} />
      </div>
      <div className="player-timeline">
        <Timeline playerId={playerId} />
      </div>
      <Stack gap="lg" className="player-rest">
        <Flags playerId={playerId} explanation={explanation} />
        <SegmentsOfPlayer explanation={explanation} />
        <ValuesOfPlayer playerId={playerId} explanation={explanation} />
        <AttributesOfPlayer explanation={explanation} />
        <PredictionsOfPlayer explanation={explanation} />
        <ExperimentsOfPlayer playerId={playerId} explanation={explanation} />
        <StoreAsSeen explanation={explanation} />
        <Devices playerId={playerId} />
      </Stack>
    </div>
  );
}
