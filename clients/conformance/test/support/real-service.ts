import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signLogin } from '../../../../sdk/src/server/index.js';
import { KEY, type RealService, startRealService } from '../../../../sdk/test/support/real-service.js';
import { createProcessHosts } from '../../src/process-host.js';
import { startRun } from '../../src/run.js';

export type ServiceWithSigner = RealService & { signUrl: string };

const BATCH = { events: 20, bytes: 60_000, seconds: 1_000 };

/** Tests of a client against the service itself. `more` adds tests of that client alone. */
export function playRealService(
  driver: readonly string[],
  deviceId: string,
  more?: (service: () => ServiceWithSigner) => void,
): void {
  describe('against the real service', () => {
    let service: RealService;
    let signer: { url: string; server: Server };
    beforeAll(async () => {
      service = await startRealService();
      signer = await startSigner();
    });
    afterAll(async () => {
      signer?.server.close();
      await service?.close();
    });

    it('logs in, tracks, reads, is killed, goes on, and every event is in PostgreSQL exactly once, in order', async () => {
      const hosts = createProcessHosts(driver);
      const host = hosts.newHost();
      const device = await host.newDevice();
      const options = { baseUrl: service.baseUrl, signUrl: signer.url, deviceId, batch: BATCH };
      const first = await startRun(device, options, () => {});
      const { userId } = await first.login();
      expect(await first.read('status')).toMatchObject({ isPayer: { value: false } });
      const ids: string[] = [];
      for (let n = 0; n < 50; n++) ids.push(await first.track('Step', { n }));
      const sku = { skuId: 'gems_80', price: 0.99, currency: 'USD' };
      ids.push(await first.track('Purchase', { n: 50, transactionId: 't-1', ...sku }));
      await first.flush();
      expect(await first.read('status')).toMatchObject({ isPayer: { value: true } });
      expect((await first.read('store')).activeSkus).not.toEqual([]);
      expect(await first.read('segments')).toMatchObject({ playerId: userId });
      // The demo game has no model yet.
      const churn = { state: 'cold_start', expiredAt: null, band: null, percentile: null, horizonDays: 7 };
      expect(await first.read('predictions')).toMatchObject({
        playerId: userId,
        predictions: { churn },
        models: { activity: { health: 'unknown' } },
      });
      for (let n = 51; n < 60; n++) ids.push(await first.track('Step', { n }));
      await first.saved();
      await first.kill();

      const second = await startRun(device, options, () => {});
      for (let n = 60; n < 70; n++) ids.push(await second.track('Step', { n }));
      await second.flush();
      await second.track('Ad_Impression', { adId: 7 });
      await second.close();
      expect(second.rejected).toEqual(['Ad_Impression payload_invalid']);
      await host.close();
      await hosts.close();

      const stored = await service.storedEvents(deviceId);
      expect(stored.map(({ eventId }) => eventId)).toEqual(ids);
      expect(stored.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1));
      expect(new Set(stored.map(({ installId }) => installId)).size).toBe(1);
    });

    more?.(() => ({ ...service, signUrl: signer.url }));
  });
}

/** The studio's signing endpoint. */
async function startSigner(): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { deviceId } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { deviceId: string };
    response.end(JSON.stringify(await signLogin({ ...KEY, deviceId })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign`, server };
}
