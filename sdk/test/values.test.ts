import { beforeEach, describe, expect, it } from 'vitest';
import { createDevice } from './support/device.js';
import { createServiceModel, type ServiceModel } from './support/service-model.js';

let service: ServiceModel;
beforeEach(() => {
  service = createServiceModel();
  service.values = { jump_height: 5, mode: 'hard', intro: false, start: { x: 1 }, list: [1] };
});

const requestsForValues = () => service.requests.filter(({ path }) => path === '/v1/player/values').length;

describe('a typed value', () => {
  it('is at hand after values() or a login, without a request for each', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    const { player } = client;
    expect(player.value('jump_height', 3)).toBe(5);
    expect(player.value('mode', 'easy')).toBe('hard');
    expect(player.value('intro', true)).toBe(false);
    expect(player.value('start', { x: 0 })).toEqual({ x: 1 });
    expect(player.value('list', [0])).toEqual([1]);
    expect(requestsForValues()).toBe(0);
    service.values = { jump_height: 6 };
    expect((await player.values()).values).toEqual({ jump_height: 6 });
    expect(player.value('jump_height', 3)).toBe(6);
  });

  it('is the default where the game has no value of this key and type', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    const { player } = client;
    expect(player.value('jump', 3)).toBe(3);
    expect(player.value('constructor', 'none')).toBe('none');
    expect(player.value('jump_height', 'high')).toBe('high');
    expect(player.value('start', [])).toEqual([]);
    expect(player.value('list', { x: 0 })).toEqual({ x: 0 });
    service.values = { start: null };
    await player.values();
    expect(player.value('start', { x: 0 })).toEqual({ x: 0 });
  });

  it('is asked for once by the first call, however often a game calls', async () => {
    const { client } = createDevice(service).start();
    service.values = undefined;
    await client.login();
    expect(client.player.value('jump_height', 3)).toBe(3);
    service.values = { jump_height: 5 };
    for (let frame = 0; frame < 10; frame++) client.player.value('jump_height', 3);
    await client.player.values();
    expect(client.player.value('jump_height', 3)).toBe(5);
    expect(requestsForValues()).toBe(1);
  });

  it('is kept for a restart without a network, and forgotten with the player', async () => {
    const device = createDevice(service);
    const first = device.start();
    await first.client.login();
    await first.client.player.values();
    first.kill();
    service.fault = () => 'request lost';
    const { client } = device.start();
    expect((await client.player.values()).values).toEqual(service.values);
    expect(client.player.value('jump_height', 3)).toBe(5);
    service.fault = () => 'none';
    await client.deleteAccount();
    expect(client.player.value('jump_height', 3)).toBe(3);
  });

  it('is that of the game itself at a first start without a network', async () => {
    service.fault = () => 'request lost';
    const values = { playerId: '', asOf: '', values: { jump_height: 4 }, experiments: [] };
    const { client } = createDevice(service).start({ fallback: { values } });
    await client.player.values();
    expect(client.player.value('jump_height', 3)).toBe(4);
  });

  it('tells listeners when a value has changed', async () => {
    const { client } = createDevice(service).start();
    const seen: unknown[] = [];
    client.player.on('values', ({ values }) => seen.push(values.jump_height));
    await client.player.values();
    await client.player.values();
    service.values = { jump_height: 7 };
    await client.player.values();
    expect(seen).toEqual([5, 7]);
  });
});

describe('the experiments of a player', () => {
  it('are as the service last said, also after a login and offline', async () => {
    const arms = [{ experimentId: 'price_test', variantId: 'b' }];
    service.experiments = arms;
    const { client } = createDevice(service).start();
    await client.login();
    expect(await client.player.experiments()).toEqual(arms);
    await client.login();
    service.fault = () => 'request lost';
    expect(await client.player.experiments()).toEqual(arms);
  });

  it('are not lost by what a refresh brings after a restart', async () => {
    const arms = [{ experimentId: 'price_test', variantId: 'b' }];
    service.experiments = arms;
    const device = createDevice(service);
    const first = device.start();
    await first.client.login();
    await first.client.player.experiments();
    first.kill();
    const second = device.start();
    const told: unknown[] = [];
    second.client.player.on('values', ({ experiments }) => told.push(experiments));
    service.values = { jump_height: 6 };
    let refusals = 1;
    service.fault = (path) => (path === '/v1/player/store_configs' && refusals-- > 0 ? 401 : 'none');
    await second.client.player.store();
    expect(second.client.player.value('jump_height', 3)).toBe(6);
    await expect.poll(() => told).toEqual([arms]);
    service.fault = () => 'request lost';
    expect(await second.client.player.experiments()).toEqual(arms);
    second.kill();
    expect(await device.start().client.player.experiments()).toEqual(arms);
  });

  it('are not those of another player', async () => {
    service.experiments = [{ experimentId: 'price_test', variantId: 'b' }];
    const device = createDevice(service);
    const first = device.start();
    await first.client.login();
    await first.client.player.experiments();
    await first.client.deleteAccount();
    service.fault = (path) => (path === '/v1/player/values' ? 'request lost' : 'none');
    await first.client.login();
    expect(await first.client.player.experiments()).toEqual([]);
  });
});
