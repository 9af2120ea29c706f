import { Link } from '@tanstack/react-router';
import { usePlace } from '../api/hooks.js';

/** A player by the beginning of their id. */
export function PlayerLink({ playerId }: { playerId: string }) {
  const { studio, game } = usePlace();
  return (
    <Link className="mono example" to="/$studio/$game/players/$playerId" params={{ studio, game, playerId }}>
      {playerId.slice(0, 8)}…{' '}
    </Link>
  );
}
