import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SavepointError } from '../src/errors.js';
import { createDevice } from './support/device.js';
import { createServiceModel, type Fault, type ServiceModel } from './support/service-model.js';

const HOUR = 3_600_000;
let service: ServiceModel;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 15) });
  service = createServiceModel();
});
afterEach(() => {
  vi.useRealTimers();
});

const count = (path: string) => service.requests.filter((request) => request.path === path).length;
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: SavepointError) => error.code,
  );

describe('login', () => {
  it('gets in on the second try with a clock that is off by 400 days, and on the first one after that', async () => {
    service.setClock(-400 * 24 * HOUR);
    const { client } = createDevice(service).start();
    expect(await client.login()).toEqual({
      userId: 'u-phone',
      deviceId: 'phone',
      gameId: 'game',
      tenantId: 'studio',
    });
    expect(count('/auth/login')).toBe(2);
    await client.logout();
    await client.login();
    expect(count('/auth/login')).toBe(3);
  });

  it('takes the time from the Date header of a service that says no serverTime', async () => {
    service.setClock(200 * 24 * HOUR);
    service.windowError = () => ({});
    const { client } = createDevice(service).start({
      fetch: async (input, init) => {
        const response = await service.fetch(input, init);
        response.headers.set('date', new Date(Date.now() + 200 * 24 * HOUR).toUTCString());
        return response;
      },
    });
    expect((await client.login()).userId).toBe('u-phone');
  });

  it('tries only twice', async () => {
    const { client } = createDevice(service).start({
      sign: (id) => service.sign(id, '2020-01-01T00:00:00Z'),
    });
    expect(await codeOf(client.login())).toBe('timestamp_out_of_window');
    expect(count('/auth/login')).toBe(2);
  });

  it('accepts a response inside a data wrapper', async () => {
    const { client } = createDevice(service).start({
      fetch: async (input, init) => {
        const response = await service.fetch(input, init);
        return Response.json({ data: await response.json(), status: 'success' }, { status: response.status });
      },
    });
    expect((await client.login()).userId).toBe('u-phone');
  });

  it('says what is wrong: the signature, the signer, the network, or a proxy in between', async () => {
    const start = (options: object) => createDevice(service).start(options).client;
    const badSign = async (deviceId: string) => ({ ...(await service.sign(deviceId)), signature: 'no' });
    expect(await codeOf(start({ sign: badSign }).login())).toBe('credentials_invalid');
    expect(await codeOf(start({ sign: () => Promise.reject(new Error('down')) }).login())).toBe(
      'sign_failed',
    );
    expect(await codeOf(start({ sign: async () => ({}) }).login())).toBe('sign_failed');
    service.fault = () => 'portal';
    expect(await codeOf(start({}).login())).toBe('response_invalid');
    service.fault = () => 'request lost';
    expect(await codeOf(start({}).login())).toBe('network_failed');
  });

  it('gives up on a signing endpoint that never responds', async () => {
    const hang = (_input: unknown, init?: RequestInit) =>
      new Promise<never>((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const { client } = createDevice(service).start({ sign: '/sign', fetch: hang as typeof fetch });
    const code = codeOf(client.login());
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await code).toBe('sign_failed');
  });

  it('makes a device id of its own and keeps it', async () => {
    const device = createDevice(service);
    const withoutId = { deviceId: undefined } as unknown as object;
    const first = device.start(withoutId);
    const { deviceId } = await first.client.login();
    expect(deviceId).toMatch(/^[0-9a-v]{26}$/);
    first.kill();
    device.values.delete([...device.values.keys()].find((key) => key.endsWith('session')) as string);
    expect((await device.start(withoutId).client.login()).deviceId).toBe(deviceId);
  });
});

describe('a session', () => {
  it('is refreshed once before its end, however many calls wait', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR - 30_000);
    await Promise.all([client.player.status(), client.player.store(), client.login()]);
    expect(count('/auth/refresh')).toBe(1);
    expect(service.requests.filter(({ path }) => path === '/v1/player/status')).toHaveLength(1);
  });

  it('uses its token while a refresh ahead of the end fails', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR - 30_000);
    service.fault = (path) => (path === '/auth/refresh' ? 503 : 'none');
    expect(await client.player.status()).toEqual(service.status);
    expect(count('/v1/player/status')).toBe(1);
  });

  it.each(['response lost', 'response never comes'] as const)('lives on when a %s', async (what) => {
    const { client } = createDevice(service).start();
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR + 1);
    const faults = [what];
    service.fault = (path) => (path === '/auth/refresh' ? faults.pop() : undefined) ?? 'none';
    const status = client.player.status();
    // Less than the 30 s in which the service takes the same token again.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await status).toEqual(service.status);
    expect([count('/auth/refresh'), count('/auth/login')]).toEqual([2, 1]);
  });

  /** Refreshes that were sent, also those that do not reach the service. */
  const sentRefreshes = (faultOf: () => Fault | undefined) => {
    const sent = { count: 0 };
    service.fault = (path) => {
      if (path !== '/auth/refresh') return 'none';
      sent.count++;
      return faultOf() ?? 'none';
    };
    return sent;
  };

  it('lives on when no call follows a refresh whose responses were lost', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR + 1);
    const faults: Fault[] = [503, 'response lost', 'response never comes'];
    const sent = sentRefreshes(() => faults.pop());
    const status = client.player.status();
    // The time in which the service takes the same token again.
    await vi.advanceTimersByTimeAsync(30_000);
    await status;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await client.player.status()).toEqual(service.status);
    expect([sent.count, count('/auth/login')]).toEqual([4, 1]);
  });

  /** Responses to refreshes come when the test says so. */
  const holdRefreshes = () => {
    const held: { arrive(other?: Response): void; isGivenUp(): boolean }[] = [];
    const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
      const response = await service.fetch(input, init);
      if (!String(input).endsWith('/auth/refresh')) return response;
      return new Promise<Response>((resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        held.push({
          arrive: (other = response) => resolve(other),
          isGivenUp: () => init.signal?.aborted === true,
        });
      });
    };
    return { held, fetch };
  };
  const authorizations = (path: string) =>
    service.requests
      .filter((request) => request.path === path)
      .map(({ headers }) => headers.get('authorization'));
  const refusal = () => Response.json({ error: 'no', code: 'refresh_token_invalid' }, { status: 401 });

  it.each([0, 1, 2])(
    'takes the first response of a slow refresh that was sent three times: %i',
    async (index) => {
      const { held, fetch } = holdRefreshes();
      const { client } = createDevice(service).start({ fetch });
      await client.login();
      await vi.advanceTimersByTimeAsync(HOUR + 1);
      const status = client.player.status();
      await vi.advanceTimersByTimeAsync(29_000);
      expect(held.map(({ isGivenUp }) => isGivenUp())).toEqual([false, false, false]);
      held[index]?.arrive();
      expect(await status).toEqual(service.status);
      const others = held.filter((_, place) => place !== index);
      expect(others.map(({ isGivenUp }) => isGivenUp())).toEqual([true, true]);
      for (const late of others) late.arrive(refusal());
      await vi.advanceTimersByTimeAsync(60_000);
      await client.player.status();
      const [first, second] = authorizations('/v1/player/status');
      expect(second).toBe(first);
      expect([held.length, count('/auth/login')]).toEqual([3, 1]);
    },
  );

  it('waits for a slow try when a later one fails, and takes a refusal from any of them', async () => {
    const { held, fetch } = holdRefreshes();
    const { client } = createDevice(service).start({ fetch });
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR + 1);
    const first = client.player.status();
    await vi.advanceTimersByTimeAsync(8_000);
    held[1]?.arrive(new Response('<html>Buy Wi-Fi</html>', { status: 401 }));
    await vi.advanceTimersByTimeAsync(1_000);
    held[0]?.arrive();
    expect(await first).toEqual(service.status);
    expect([held.length, count('/auth/login')]).toEqual([2, 1]);

    await vi.advanceTimersByTimeAsync(HOUR + 1);
    const second = client.player.status();
    await vi.advanceTimersByTimeAsync(8_000);
    held[3]?.arrive(refusal());
    expect(await second).toEqual(service.status);
    expect(held[2]?.isGivenUp()).toBe(true);
    expect(count('/auth/login')).toBe(2);
  });

  it('does not make calls wait for a slow refresh well ahead of the end', async () => {
    const { held, fetch } = holdRefreshes();
    const { client } = createDevice(service).start({ fetch });
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR - 45_000);
    await client.player.status();
    expect(held.length).toBe(1);
    held[0]?.arrive();
    // Waits for the refresh.
    await client.login();
    await client.player.status();
    const [old, renewed] = authorizations('/v1/player/status');
    expect(renewed).not.toBe(old);
    expect(held.length).toBe(1);
  });

  it.each(['refreshed', 'logged out'])(
    'is not replaced by an older one when another tab has %s meanwhile',
    async (what) => {
      const device = createDevice(service);
      const { held, fetch } = holdRefreshes();
      const [a, b] = [device.start({ fetch }).client, device.start().client];
      await a.login();
      await vi.advanceTimersByTimeAsync(HOUR + 1);
      const late = codeOf(a.player.status());
      await vi.advanceTimersByTimeAsync(0);
      await b.login();
      if (what === 'logged out') await b.logout();
      else {
        // A refused token makes it refresh once more.
        const faults: Fault[] = [401];
        service.fault = (path) => (path === '/v1/player/status' ? faults.pop() : undefined) ?? 'none';
        await b.player.status();
      }
      held[0]?.arrive();
      expect(await late).toBe(what === 'logged out' ? 'logged_out' : 'none');
      await vi.advanceTimersByTimeAsync(HOUR + 1);
      if (what === 'refreshed') await b.player.status();
      expect(count('/auth/login')).toBe(1);
    },
  );

  it('gives up retries that no call waits for after a while, and when it is closed', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    const sent = sentRefreshes(() => 'request lost');
    await vi.advanceTimersByTimeAsync(HOUR + 1);
    await client.player.status();
    await vi.advanceTimersByTimeAsync(HOUR);
    // Each is sent twice.
    expect(sent.count).toBe(2 * 11);
    await client.player.status();
    await client.close();
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(sent.count).toBe(2 * 12);
  });

  it('is refreshed after a 401, and the request sent once more', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    let isFirst = true;
    service.fault = (path) => {
      const fault = path === '/v1/player/status' && isFirst ? 401 : 'none';
      isFirst = false;
      return fault;
    };
    expect(await client.player.status()).toEqual(service.status);
    expect([count('/auth/refresh'), count('/auth/login')]).toEqual([1, 1]);
  });

  it('is refreshed when the clock of the device was put back, because its age is unknown then', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    vi.setSystemTime(Date.now() - 10_000);
    await client.player.status();
    expect(count('/auth/refresh')).toBe(1);
  });

  it('is replaced by a new one when it was ended', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    service.sessions.clear();
    expect(await client.player.status()).toEqual(service.status);
    expect(count('/auth/login')).toBe(2);
  });

  it('survives a restart without a login', async () => {
    const device = createDevice(service);
    const first = device.start();
    await first.client.login();
    first.kill();
    await vi.advanceTimersByTimeAsync(24 * HOUR);
    expect((await device.start().client.login()).userId).toBe('u-phone');
    expect([count('/auth/login'), count('/auth/refresh')]).toEqual([1, 1]);
  });

  it('is shared by tabs: a refresh or a new login of one never logs the other out', async () => {
    const device = createDevice(service);
    const [a, b] = [device.start().client, device.start().client];
    await a.login();
    expect((await b.login()).userId).toBe('u-phone');
    expect(count('/auth/login')).toBe(1);
    for (let hour = 0; hour < 5; hour++) {
      await vi.advanceTimersByTimeAsync(HOUR);
      await a.player.status();
      await vi.advanceTimersByTimeAsync(60_000);
      await b.player.status();
    }
    expect(count('/auth/login')).toBe(1);
    expect(count('/auth/refresh')).toBe(5);
  });

  it('stays ended in every tab after a logout, until the next login', async () => {
    const device = createDevice(service);
    const [a, b] = [device.start().client, device.start().client];
    await a.login();
    await b.player.status();
    await a.logout();
    expect(await codeOf(b.login().then(() => b.logout()))).toBe('none');
    b.track('Later');
    await b.flush();
    expect(device.errors).toContain('logged_out');
    expect(service.stored.size).toBe(0);
    await b.login();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([...service.stored.values()].map(({ eventType }) => eventType)).toEqual(['Later']);
  });
});

describe('a deleted account', () => {
  it('leaves no event and no response on the device, and the next login starts a new installation', async () => {
    const { client } = createDevice(service).start();
    await client.player.store();
    client.track('Sent');
    await client.flush();
    service.fault = (path) => (path === '/v1/events' ? 503 : 'none');
    client.track('Waiting');
    await client.flush();
    await client.deleteAccount();
    service.fault = () => 'none';
    expect(await codeOf(client.player.store())).toBe('logged_out');
    client.track('New');
    await client.login();
    // After the 503 the client waits before it sends again.
    await vi.advanceTimersByTimeAsync(60_000);
    expect([...service.stored.values()].map(({ eventType }) => eventType)).toEqual(['Sent', 'New']);
    const installs = service.requests
      .filter(({ path }) => path === '/v1/events')
      .map(({ headers }) => headers.get('x-install-id'));
    expect(installs.at(-1)).not.toBe(installs[0]);
    expect([...service.stored.values()].at(-1)).toMatchObject({ eventType: 'New', seq: 1 });
  });

  it('is as it was if the service could not be asked', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    service.fault = (path) => (path === '/v1/player' ? 'request lost' : 'none');
    expect(await codeOf(client.deleteAccount())).toBe('network_failed');
    expect(await codeOf(client.player.status())).toBe('none');
    expect(count('/auth/login')).toBe(1);
  });
});
