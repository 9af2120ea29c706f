import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const json = (path: string) => JSON.parse(read(path));

it('every package, client and API document has the same version', () => {
  const { version } = json('server/package.json');
  const lock = json('package-lock.json').packages;
  const versions = {
    ...Object.fromEntries(
      ['server', 'sdk', 'simulator', 'console'].flatMap((folder) => [
        [folder, json(`${folder}/package.json`).version],
        [`${folder} in package-lock.json`, lock[folder].version],
      ]),
    ),
    'client of the simulator': json('simulator/package.json').dependencies['@savepoint/client'],
    'C# client': /AssemblyVersion\("(.*)\.0"\)/.exec(read('clients/csharp/src/AssemblyInfo.cs'))?.[1],
    'C# client as a Unity package': json('clients/csharp/src/package.json').version,
    'openapi/player.json': json('openapi/player.json').info.version,
    'openapi/admin.json': json('openapi/admin.json').info.version,
  };
  expect(versions).toEqual(Object.fromEntries(Object.keys(versions).map((name) => [name, version])));
});
