import { chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { chooseServerUser } from '../../../src/platform/embedded-postgres/server-user.js';
import { isRoot } from '../../support/owners.js';
import { clearAway, makeFolder } from '../../support/postgres-folders.js';

afterEach(clearAway);

it.skipIf(!isRoot)(
  'as root: PostgreSQL runs as the owner of the cluster, else of the data folder',
  async () => {
    const root = await makeFolder();
    const path = join(root, 'postgres');
    const ordinary = await chooseServerUser(path);
    expect(['postgres', 'nobody']).toContain(ordinary?.name);

    const daemon = /^daemon:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
    const [uid, gid] = [Number(daemon?.[1]), Number(daemon?.[2])];
    await chown(root, uid, gid);
    expect(await chooseServerUser(path)).toEqual({ name: 'daemon', uid, gid });
    // initdb wants a user with a name.
    await chown(root, 4242, 4242);
    expect(await chooseServerUser(path)).toEqual(ordinary);

    await mkdir(path);
    await chown(path, 4343, 4343);
    expect(await chooseServerUser(path)).toEqual({ name: '#4343', uid: 4343, gid: 4343 });
  },
);
