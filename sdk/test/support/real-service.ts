import { createHarness, type Harness } from '../../../server/test/support/harness.js';
import type { Sign } from '../../src/options.js';
import { signLogin } from '../../src/server/sign-login.js';

const STORED_EVENTS = `
  select e.event_id as "eventId", e.seq::int as seq, e.install_id as "installId", (e.payload ->> 'n')::int as n,
         e.clock_suspect as "isClockSuspect"
  from events e join devices d on d.player_id = e.player_id
  where d.device_id = $1
  order by e.install_id, e.seq`;

/** The development key of every new installation. */
export const KEY = { apiKey: 'dev-key', apiSecret: 'dev-secret' };

export type StoredEvent = {
  eventId: string;
  seq: number;
  installId: string;
  n: number;
  isClockSuspect: boolean;
};

export type RealService = Harness & {
  baseUrl: string;
  /** What PostgreSQL has of a device's player, in the order of its numbers. */
  storedEvents(deviceId: string): Promise<StoredEvent[]>;
};

/** The service on a real PostgreSQL, listening. */
export async function startRealService(): Promise<RealService> {
  const harness = await createHarness();
  const baseUrl = await harness.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...harness,
    baseUrl,
    async storedEvents(deviceId) {
      const { rows } = await harness.pool.query(STORED_EVENTS, [deviceId]);
      return rows;
    },
  };
}

export const signWithKey: Sign = (deviceId, timestamp) =>
  signLogin({ ...KEY, deviceId, ...(timestamp !== undefined && { timestamp }) });
