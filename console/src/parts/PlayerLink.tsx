import { Link } from '@tanstack/react-router';
import { useStudioAndGame } from '../api/hooks.js';
import { shortId } from '../lib/short-id.js';

/** A player by the end of their id. */
export function PlayerLink({ playerId }: { playerId: string }) {
  const { studio, game } = useStudioAndGame();
  return (
    <Link className="mono example" to="/$studio/$game/players/$playerId" params={{ studio, game, playerId }}>
      {shortId(playerId)}{' '}
    </Link>
  );
}
