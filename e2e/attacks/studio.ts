import { type Login, login, runSavepoint, type Service, type Settings } from '../support/service.js';

/** A studio as its own people see it: an editor's token, and a player. */
export type Studio = Readonly<{
  tenant: string;
  game: string;
  admin: Readonly<Record<string, string>>;
  key: Readonly<{ id: string; secret: string }>;
  player: Login;
}>;

/** Seeded by the service itself. */
export const DEMO = {
  tenant: 'demo-studio',
  game: 'demo-game',
  key: { id: 'dev-key', secret: 'dev-secret' },
};

export async function createStudio(
  service: Service,
  settings: Settings,
  wanted: { tenant: string; game: string; key?: Studio['key'] },
): Promise<Studio> {
  const { tenant, game } = wanted;
  const savepoint = async (...args: string[]) => {
    const { code, output } = await runSavepoint(args, settings);
    if (code !== 0) throw new Error(`savepoint ${args.join(' ')}: ${output}`);
    return output;
  };
  if (wanted.key === undefined) {
    await savepoint('tenant', 'create', tenant);
    await savepoint('game', 'create', game, '--tenant', tenant);
  }
  const token = await savepoint('admin-token', 'create', '--role', 'owner', '--tenant', tenant);
  const key = wanted.key ?? keyOf(await savepoint('key', 'create', '--tenant', tenant, '--game', game));
  return {
    tenant,
    game,
    key,
    admin: { authorization: `Bearer ${/Admin token {2}(\S+)/.exec(token)?.[1]}`, 'x-tenant-id': tenant },
    player: await login(service.api, `${tenant}-phone`, key),
  };
}

function keyOf(output: string): Studio['key'] {
  return {
    id: /API key\s+(\S+)/.exec(output)?.[1] ?? '',
    secret: /API secret\s+(\S+)/.exec(output)?.[1] ?? '',
  };
}
