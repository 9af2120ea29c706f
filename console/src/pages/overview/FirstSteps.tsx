import { Anchor, Badge, Button, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { stepsDone } from '../../lib/first-steps.js';
import { Icon } from '../../parts/Icon.js';
import { EmptyState } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';

type Props = {
  players: DataOf<'listPlayers'>['players'];
  everyMs: number;
  /** To the numbers of the first event. */
  onGoOn: () => void;
};

/** A new studio: from a key to the first event. Each step is ticked as soon as it is done. */
export function FirstSteps({ players, everyMs, onGoOn }: Props) {
  const { studio, game } = useStudioAndGame();
  const { isOwner } = useRole();
  const keys = useGet('listApiKeys', { params: { game } }, { enabled: isOwner, everyMs });
  const { hasKey, hasPlayer, hasEvent } = stepsDone(keys.data?.keys, players);
  const params = { studio, game };
  return (
    <EmptyState title={hasEvent ? 'First event received' : 'No event has arrived yet'}>
      <List type="ordered" listStyleType="none" spacing="sm" size="sm" aria-label="First steps">
        <Step number={1} isDone={hasKey}>
          {isOwner ? (
            <Anchor
              size="sm"
              underline="always"
              renderRoot={(props) => (
                <Link {...props} to="/$studio/$game/settings" params={params} search={{ tab: 'keys' }} />
              )}
            >
              Create an API key
            </Anchor>
          ) : (
            'Ask an owner of the studio for an API key'
          )}
          . It is shown once, with a command that does the next two steps.
        </Step>
        <Step number={2} isDone={hasPlayer}>
          Log a player in with the key.
        </Step>
        <Step number={3} isDone={hasEvent}>
          Send an event, and watch it arrive on the page{' '}
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link {...props} to="/$studio/$game/events" params={params} />}
          >
            Events
          </Anchor>
          .
        </Step>
      </List>
      <GetTheClient />
      {hasEvent ? (
        <Button size="xs" onClick={onGoOn}>
          Show the numbers
        </Button>
      ) : (
        <>
          <Text size="sm">Or fill the game with simulated players:</Text>
          <CopyableCode
            text={`SAVEPOINT_ENV=development npx savepoint simulate --tenant ${studio} --game ${game} --players 200`}
            label="Copy the command"
          />
        </>
      )}
    </EmptyState>
  );
}

/** The client of the version of this service. It comes from the listener of the console. */
function GetTheClient() {
  const address = `${window.location.origin}/client/savepoint-client`;
  return (
    <>
      <Text size="sm">The client for a web game with a bundler, Node, Electron or React Native:</Text>
      <CopyableCode text={`npm install ${address}.tgz`} label="Copy the command" />
      <Text size="sm">For a page without a bundler, as one file to put beside it:</Text>
      <CopyableCode text={`curl -O ${address}.js`} label="Copy the command" />
    </>
  );
}

function Step({ number, isDone, children }: { number: number; isDone: boolean; children: ReactNode }) {
  return (
    <List.Item
      icon={
        isDone ? (
          <Badge
            circle
            color="teal"
            variant="light"
            role="img"
            aria-label="done"
            styles={{ label: { display: 'flex' } }}
          >
            <Icon name="check" size={12} />
          </Badge>
        ) : (
          <Badge circle color="gray" variant="light">
            {number}
          </Badge>
        )
      }
    >
      {children}
    </List.Item>
  );
}
