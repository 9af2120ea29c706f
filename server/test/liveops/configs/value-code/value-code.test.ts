import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_MONO, NEEDS_MONO } from '../../../../../clients/csharp/test/support/mono.js';
import { HAS_GODOT, NEEDS_GODOT } from '../../../../../clients/godot/test/support/godot.js';
import { type CodeLanguage, valueCode } from '../../../../src/liveops/configs/value-code/value-code.js';
import { value } from '../../../decide/support/fixtures.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

const VALUES = [
  value('jump_height', {
    type: { kind: 'integer', minimum: 1, maximum: 9 },
    defaultValue: 3,
    description: 'In\ntiles. */',
  }),
  value('jumpHeight', { defaultValue: 2 ** 40 }),
  value('speed', { type: 'number', defaultValue: 2 }),
  value('intro', { type: 'boolean', defaultValue: true }),
  value('mode', { type: { kind: 'string', enum: ['easy', 'hard'] }, defaultValue: 'easy' }),
  value('greeting', { type: 'string', defaultValue: 'Grüß "dich" \\ 🎮\n', description: 'a < b & c' }),
  value('constructor', { type: 'string', defaultValue: '' }),
  value('class', { type: 'boolean', defaultValue: false }),
  value('get', { type: 'boolean', defaultValue: false }),
  value('GameValues', { type: 'boolean', defaultValue: false }),
  value('start', {
    type: {
      kind: 'json',
      schema: {
        type: 'object',
        properties: { x: { type: 'integer' }, tags: { type: 'array', items: { enum: ['a', 1] } } },
        required: ['x'],
      },
    },
    defaultValue: { x: 1 },
  }),
  value('list', { type: { kind: 'json', schema: { type: 'array' } }, defaultValue: [1, null] }),
  value('any', { type: { kind: 'json', schema: true }, defaultValue: null }),
  value('secret', { visibleTo: 'servers' }),
];
const code = (language: CodeLanguage) => valueCode(language, VALUES, 'version 7 of studio/game');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-value-code-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const failure = (command: Promise<unknown>): Promise<string> =>
  command.then(
    () => '',
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  );

it('is written for clients only, by key', () => {
  expect(code('ts')).toContain(
    '// Written by `savepoint config types` from version 7 of studio/game. Do not edit.',
  );
  expect(code('ts')).toContain(`  /** In tiles. *\\/ */
  get jump_height(): number {
    return this.#player.value('jump_height', 3 as number) as number;
  }`);
  expect(code('csharp')).toContain(
    '    public int JumpHeight { get { return player.Value("jump_height", 3); } }',
  );
  expect(code('csharp')).toContain('public long JumpHeight_ {');
  expect(code('gdscript')).toContain(
    '## In tiles. */\nstatic var jump_height: int:\n\tget:\n\t\treturn client.value("jump_height", 3)',
  );
  for (const language of ['ts', 'csharp', 'gdscript'] as const)
    expect(code(language)).not.toContain('secret');
});

it('compiles in TypeScript, and a misspelt key does not', async () => {
  const game = (key: string) => `import { GameValues } from './game-values.js';
export function play(values: GameValues): number {
  const mode: 'easy' | 'hard' = values.mode;
  const tag: 'a' | 1 | undefined = values.start.tags?.[0];
  return values.${key} + values.start.x + values.list.length + values.constructor_.length + mode.length + Number(tag);
}
`;
  await writeFile(join(folder, 'game-values.ts'), code('ts'));
  await writeFile(join(folder, 'good.ts'), game('jump_height'));
  await writeFile(join(folder, 'bad.ts'), game('jump_heigth'));
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    skipLibCheck: true,
    paths: { '@savepoint/client': [join(ROOT, 'sdk/src/index.ts')] },
  };
  const compile = async (...files: string[]) => {
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
    return failure(run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]));
  };
  const said = await compile('good.ts', 'bad.ts');
  expect(said).toMatch(/^\S*bad\.ts\(5,17\): error TS2551: Property 'jump_heigth' does not exist/);
  expect(said.trimEnd().split('\n')).toHaveLength(1);
});

describe.skipIf(!HAS_MONO)(`in C#${NEEDS_MONO}`, () => {
  it('compiles, and a misspelt key does not', async () => {
    // Not the client that its own tests build: they may run at the same time.
    const library = join(folder, 'Savepoint.Client.dll');
    const options = ['-nologo', '-langversion:7.2', '-target:library'];
    const sources = join(ROOT, 'clients/csharp/src');
    const client = (await readdir(sources)).filter((name) => name.endsWith('.cs'));
    await run('mcs', [
      ...[...options, '-r:System.Net.Http', `-out:${library}`],
      ...client.map((name) => join(sources, name)),
    ]);
    await writeFile(join(folder, 'GameValues.cs'), code('csharp'));
    const compile = async (key: string) => {
      const game = `public static class Game {
  public static double Play(GameValues values) { return values.${key} + values.JumpHeight_ + values.Speed + values.Start.Length; }
}`;
      await writeFile(join(folder, 'Game.cs'), game);
      const files = ['GameValues.cs', 'Game.cs'].map((name) => join(folder, name));
      const target = `-out:${join(folder, 'Game.dll')}`;
      return failure(run('mcs', [...options, '-warnaserror', `-r:${library}`, target, ...files]));
    };
    expect(await compile('JumpHeight')).toBe('');
    expect(await compile('JumpHeigth')).toContain("does not contain a definition for `JumpHeigth'");
  });
});

describe.skipIf(!HAS_GODOT)(`in GDScript${NEEDS_GODOT}`, () => {
  it('compiles, and a misspelt key does not', async () => {
    const project = join(folder, 'project');
    await mkdir(project);
    await copyFile(join(ROOT, 'clients/godot/project.godot'), join(project, 'project.godot'));
    await writeFile(join(project, 'game_values.gd'), code('gdscript'));
    const check = async (key: string) => {
      const script = `extends SceneTree
const Values = preload("game_values.gd")
func play() -> float:
	return Values.${key} + Values.speed + Values.list.size()
`;
      await writeFile(join(project, 'game.gd'), script);
      const args = ['--headless', '--path', project, '--check-only', '--script', 'res://game.gd'];
      const { stderr } = await run('godot', args).catch((error: { stderr: string }) => error);
      return stderr;
    };
    expect(await check('jump_height')).not.toContain('SCRIPT ERROR');
    expect(await check('jump_heigth')).toContain('Cannot find member "jump_heigth"');
  });
});
