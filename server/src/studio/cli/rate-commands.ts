import { Command, Option } from 'commander';
import { isCurrency } from '../../platform/lib/currencies.js';
import { utcDay } from '../../platform/lib/day.js';
import type { RowError } from '../../platform/lib/row-errors.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { changeRates, IMPORT_MODES, type ImportMode, type RatesOutcome } from '../money/rate-changes.js';
import { readRateFile } from '../money/rate-file.js';
import { findNewestRates, type RateVersion } from '../money/rate-queries.js';
import { commandActor } from './command-actor.js';
import { requireTenant } from './game-option.js';
import { readGivenFile } from './given-file.js';
import { printable } from './printable.js';
import { rowErrorLine } from './row-errors.js';
import { tableLines } from './table.js';
import { say, withDatabase } from './terminal.js';

type Tenant = { tenant: string };
type SetOptions = Tenant & { currency?: string; none?: boolean; rate: string[]; from?: string };
type ImportOptions = Tenant & { file: string; mode: ImportMode };

const HELP = `
Figures of money are shown in the reporting currency, each payment with the rate that holds on its day. A payment without a rate is
not in the figure, and is named beside it. Nothing is fetched from outside.

  savepoint rates set --tenant my-studio --currency USD --rate EUR=1.08 --rate JPY=0.0066 --from 2026-01-01
  savepoint rates import --tenant my-studio --file rates.csv

A file has the columns currency, from and rate: "EUR,2026-11-01,1.09" says what one euro is worth in the reporting currency from
that UTC day on, until the next rate of the euro. With another reporting currency the table begins anew. Every change is a version of its own, and all versions are kept.`;

export function rateCommands(): Command {
  const rates = new Command('rates').description('the reporting currency of a studio and its exchange rates');
  const ofTenant = (command: Command) => command.requiredOption('--tenant <tenant-id>', 'the studio');
  ofTenant(rates.command('show')).description('show the rates in force').action(show);
  ofTenant(rates.command('set'))
    .description('set the reporting currency, or add rates to the table')
    .option('--currency <code>', 'the reporting currency, such as USD')
    .option('--none', 'show money as it was paid, without rates')
    .option('--rate <rate>', 'such as EUR=1.08; may be given several times', collect, [])
    .option('--from <day>', 'the UTC day from which the given rates hold (default: today)')
    .addHelpText('after', HELP)
    .action(set);
  ofTenant(rates.command('import'))
    .description('import a CSV file into the rates, all of it or nothing')
    .requiredOption('--file <path>', 'CSV with the columns currency, from and rate')
    .addOption(
      new Option('--mode <mode>', 'merge: change and add rates; replace: the file is the whole table')
        .choices(IMPORT_MODES)
        .default('merge'),
    )
    .addHelpText('after', HELP)
    .action(importFile);
  return rates;
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

async function show({ tenant }: Tenant): Promise<void> {
  const found = await withDatabase(async ({ pool }) => {
    const { id } = await requireTenant(pool, tenant);
    return findNewestRates(pool, id);
  });
  for (const line of rateLines(found)) say(line);
}

function rateLines({ version, currency, rates, author, createdAt }: RateVersion): string[] {
  const name =
    currency === null
      ? 'No reporting currency: money is shown in the currencies it was paid in.'
      : `The reporting currency is ${currency}.`;
  if (createdAt === null) return [name];
  return [
    name,
    `Version ${version}, by ${printable(author ?? '')} on ${utcDay(createdAt)}.`,
    ...(rates.length === 0
      ? ['No rates.']
      : tableLines(
          [['currency', 'from', 'rate'], ...rates.map((rate) => [rate.currency, rate.from, rate.rate])],
          (column) => column === 2,
        )),
  ];
}

async function set({ tenant, currency, none = false, rate, from }: SetOptions): Promise<void> {
  if (currency !== undefined && none) throw new StartupError('Give either --currency or --none.');
  if (currency === undefined && !none && rate.length === 0)
    throw new StartupError('Say what to set: --currency, --none or --rate.');
  if (currency !== undefined && !isCurrency(currency))
    throw new StartupError(`--currency is "${currency}": give the code of a currency, such as USD.`);
  await withDatabase(async ({ pool }) => {
    const { id: tenantId } = await requireTenant(pool, tenant);
    const actor = await commandActor(pool);
    const day = from ?? utcDay(actor.nowMs);
    const rates = rate.map((text, index) => givenRate(text, day, index + 1));
    const wanted = none ? null : currency;
    const change = { ...(wanted === undefined ? {} : { currency: wanted }), rates, mode: 'merge' } as const;
    report(tenant, await changeRates(pool, { tenantId }, change, actor));
  });
}

function givenRate(text: string, from: string, row: number) {
  const [currency = '', rate, ...more] = text.split('=');
  if (rate === undefined || more.length > 0)
    throw new StartupError(`--rate is "${text}": give it as EUR=1.08.`);
  return { currency: currency.toUpperCase(), from, rate, row };
}

async function importFile({ tenant, file, mode }: ImportOptions): Promise<void> {
  const { rates, errors } = readRateFile(await readGivenFile(file));
  if (errors.length > 0) throw invalid(errors);
  await withDatabase(async ({ pool }) => {
    const { id: tenantId } = await requireTenant(pool, tenant);
    const actor = await commandActor(pool);
    report(tenant, await changeRates(pool, { tenantId }, { rates, mode }, actor));
  });
}

function report(tenant: string, result: RatesOutcome): void {
  switch (result.outcome) {
    case 'saved':
      say(
        result.isChange
          ? `The rates of ${tenant} are version ${result.saved.version} now, with ${result.saved.rates.length} rates.`
          : `The rates of ${tenant} are like this already: nothing was changed.`,
      );
      return;
    case 'invalid':
      throw invalid(result.errors);
    case 'conflict':
      throw new StartupError('Nothing was changed: somebody else has just changed the rates. Try again.');
  }
}

function invalid(errors: readonly RowError[]): StartupError {
  return new StartupError(`Nothing was changed:\n${errors.map(rowErrorLine).join('\n')}`);
}
