import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_PICTURE_BYTES } from '../../../../src/liveops/configs/catalogue/picture-format.js';
import { MAX_PICTURES } from '../../../../src/liveops/configs/catalogue/picture-queries.js';
import { type AdminClient, GAME, openAdminClient } from '../../../support/admin-calls.js';
import { expectGeneralError } from '../../../support/data-calls.js';
import { createHarness, type Harness } from '../../../support/harness.js';
import { addStudio } from '../../../support/session-calls.js';

type Pictures = {
  pictures: { skuId: string; mediaType: string; content: string; updatedAt: string }[];
  nextCursor: string | null;
};

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 7]);
const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ');
const PATH = `${GAME}/catalogue/pictures`;

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const put = (skuId: string, content: Buffer | string, token?: string) =>
  admin.call(
    'PUT',
    `${PATH}?skuId=${encodeURIComponent(skuId)}`,
    { content: typeof content === 'string' ? content : content.toString('base64') },
    token,
  );
const list = (query = '') => admin.ask<Pictures>('GET', `${PATH}${query}`, undefined, admin.tokens.viewer);

describe('pictures of SKUs', () => {
  it('are set, replaced, listed and taken away', async () => {
    expect((await put('gems/80 %', PNG)).json().data).toEqual({
      skuId: 'gems/80 %',
      mediaType: 'image/png',
      bytes: PNG.length,
    });
    expect((await put('chest', JPEG)).json().data.mediaType).toBe('image/jpeg');
    expect((await put('chest', WEBP)).json().data.mediaType).toBe('image/webp');
    const updatedAt = new Date(harness.clock.now()).toISOString();
    expect(await list()).toEqual({
      pictures: [
        { skuId: 'chest', mediaType: 'image/webp', content: WEBP.toString('base64'), updatedAt },
        { skuId: 'gems/80 %', mediaType: 'image/png', content: PNG.toString('base64'), updatedAt },
      ],
      nextCursor: null,
    });
    const first = await list('?limit=1');
    expect(first.pictures.map(({ skuId }) => skuId)).toEqual(['chest']);
    const second = await list(`?limit=1&cursor=${first.nextCursor}`);
    expect(second.pictures.map(({ skuId }) => skuId)).toEqual(['gems/80 %']);
    expect(second.nextCursor).toBeNull();

    const remove = () => admin.ask('DELETE', `${PATH}?skuId=chest`);
    expect(await remove()).toEqual({ skuId: 'chest', wasThere: true });
    expect(await remove()).toEqual({ skuId: 'chest', wasThere: false });
    expect((await list()).pictures.map(({ skuId }) => skuId)).toEqual(['gems/80 %']);
  });

  it('are pictures, whatever they are called, and small', async () => {
    const refused = async (content: Buffer | string, message: string) => {
      const refusal = await put('gems', content);
      expectGeneralError(refusal, 400, 'body_invalid');
      expect(refusal.json().error.message).toContain(message);
    };
    await refused(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), 'neither PNG');
    await refused(Buffer.alloc(0), 'neither PNG');
    await refused('not base64!', 'must be base64');
    const large = Buffer.concat([PNG, Buffer.alloc(MAX_PICTURE_BYTES)]);
    await refused(large, `${MAX_PICTURE_BYTES} bytes at most; this one has ${large.length}`);
    expect(
      (await put('gems', Buffer.concat([JPEG, Buffer.alloc(MAX_PICTURE_BYTES - JPEG.length)]))).statusCode,
    ).toBe(200);
    expectGeneralError(await put('x'.repeat(129), PNG), 400, 'parameter_invalid');
  });

  it('are no more than a game can have, but can be replaced', async () => {
    await harness.pool.query(
      `insert into sku_pictures (game_id, sku_id, media_type, content, updated_at)
       select g.id, 'sku-' || n, 'image/png', '', now() from games g, generate_series(1, $1::int) n
       where g.slug = 'demo-game' on conflict do nothing`,
      [MAX_PICTURES],
    );
    const full = await put('one-more', PNG);
    expectGeneralError(full, 400, 'body_invalid');
    expect(full.json().error.message).toContain(`${MAX_PICTURES} pictures`);
    expect((await put('sku-1', PNG)).statusCode).toBe(200);
  });

  it('are set by editors of the studio only, and seen by nobody else', async () => {
    expectGeneralError(await put('gems', PNG, admin.tokens.viewer), 403, 'role_too_low');
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    expectGeneralError(await put('gems', PNG, token), 404, 'game_not_found');
    expectGeneralError(await admin.call('GET', PATH, undefined, token), 404, 'game_not_found');
    expectGeneralError(
      await admin.call('DELETE', `${PATH}?skuId=gems`, undefined, token),
      404,
      'game_not_found',
    );
    const own = await admin.ask<Pictures>('GET', '/games/other-game/catalogue/pictures', undefined, token);
    expect(own).toEqual({ pictures: [], nextCursor: null });
  });
});
