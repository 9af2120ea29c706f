import { describe, expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY } from '../../../src/decide/attributes/attributes.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { DOCUMENT_LIMITS } from '../../../src/decide/document/document-limits.js';
import { costTogether } from '../../../src/decide/rules/rule-analysis.js';
import { type CompiledRule, compileRule } from '../../../src/decide/rules/rules.js';
import { MAX_PROBLEMS } from '../../../src/decide/validate/document-problems.js';
import { clipText } from '../../../src/platform/lib/clip-text.js';
import { configWith, offer, problemsOf, segment, sku } from '../support/fixtures.js';

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const anyOf = (count: number, part: (n: number) => string) => times(count, part).join(' || ');

function compile(expression: string): CompiledRule {
  const result = compileRule(expression, {
    attributes: ATTRIBUTE_REGISTRY,
    segments: new Set(),
    flags: new Set(['isPayer']),
    experiments: new Map(),
  });
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.rule;
}

/** What the rules of a document cost together. */
const costOf = ({ segments, offers }: ConfigDocument) =>
  costTogether(
    [...segments.map(({ rule }) => rule), ...offers.flatMap(({ when }) => when ?? [])].map(compile),
  );

describe('problems are told up to a bound', () => {
  const tooHigh = Object.fromEntries(['USD', 'EUR', 'GBP'].map((currency) => [currency, '11']));
  const prices = Object.fromEntries(
    Object.keys(tooHigh).map((currency) => [currency, { actualPrice: '10', offerPrice: '10' }]),
  );

  it.each<[string, Partial<ConfigDocument>]>([
    [
      'of prices that offers set, for each currency and SKU',
      {
        catalogue: times(200, (n) => sku(`s${n}`, { prices })),
        offers: times(5, (n) => offer(`o${n}`, { effect: { price: { setTo: tooHigh } } })),
      },
    ],
    [
      'of SKUs that do not exist',
      { offers: times(3, (n) => offer(`o${n}`, { skus: times(500, (k) => `s${k}`) })) },
    ],
    [
      'of rules',
      {
        segments: times(60, (n) =>
          segment(
            `s${n}`,
            anyOf(20, (k) => `segment("x${k}")`),
          ),
        ),
      },
    ],
    [
      'of rules in circles',
      {
        segments: times(200, (n) =>
          segment(
            `s${n}`,
            anyOf(60, (k) => `segment("s${(n + k + 1) % 200}")`),
          ),
        ),
      },
    ],
    ['of SKUs', { catalogue: times(600, (n) => sku(`s${n}`, { defaultCurrency: 'EUR', from: 'soon' })) }],
    [
      'of names that are taken',
      {
        segments: times(200, () =>
          segment(
            'a',
            anyOf(6, () => 'nonsense'),
          ),
        ),
        offers: [offer('a')],
      },
    ],
  ])('%s', (_what, parts) => {
    expect(problemsOf(configWith(parts))).toHaveLength(MAX_PROBLEMS);
  });

  it('and the way round a long circle is not written out', () => {
    const circle = times(200, (n) => segment(`s${n}`, `segment("s${(n + 1) % 200}")`));
    const [problem = ''] = problemsOf(configWith({ segments: circle }));
    expect(problem).toContain('segment:s0 → segment:s1 → ');
    expect(problem).toMatch(/ → segment:s9 → … → segment:s0\.$/);
  });
});

describe('names are suggested', () => {
  const unknown = (count: number, name: string, skus = [sku(name)]) =>
    problemsOf(
      configWith({
        catalogue: skus,
        offers: [offer('a', { skus: times(count, (n) => `${String.fromCharCode(97 + n)}${name.slice(1)}`) })],
      }),
    ).filter((problem) => problem.includes('Did you mean'));
  const name = (length: number) => '0'.repeat(length);

  it('for the first few mistakes of a document, wherever they are', () => {
    expect(unknown(26, name(9))).toHaveLength(20);
    const segments = times(30, (n) => segment(`s${n}`, 'contry == "DE"'));
    const problems = problemsOf(
      configWith({ segments, catalogue: [sku('gems')], offers: [offer('a', { skus: ['gem'] })] }),
    );
    expect(problems).toHaveLength(31);
    expect(problems.filter((problem) => problem.includes('Did you mean'))).toEqual(
      times(20, (n) => `/segments/${n}/rule There is no attribute "contry". Did you mean "country"?`),
    );
  });

  it('for names that a person may have typed', () => {
    expect(unknown(1, name(64))).toHaveLength(1);
    expect(unknown(1, name(65))).toHaveLength(0);
  });

  it('as long as there are not too many letters to compare', () => {
    const skus = (count: number) => times(count, (n) => sku(`${n}`.padStart(60, '0')));
    expect(unknown(1, name(60), skus(500))).toHaveLength(1);
    expect(unknown(2, name(60), skus(500))).toHaveLength(1);
    expect(unknown(1, name(60), skus(1000))).toHaveLength(0);
  });
});

describe('the names of members are bounded', () => {
  const locale = `de${'-abcdefgh'.repeat(3)}`;
  it.each([
    [`${locale}-abcde`, true],
    [`${locale}-abcdef`, false],
    [`de${'-abcdefgh'.repeat(7000)}`, false],
    ['d', false],
  ])('%.40s', (key, isValid) => {
    expect(key.length <= 35 && key.length > 1).toBe(isValid);
    for (const text of ['name', 'description']) {
      const entry = sku('a', { [text]: { default: '', locales: { [key]: '' } } });
      expect(problemsOf(configWith({ catalogue: [entry] }))).toEqual(
        isValid
          ? []
          : [
              `/catalogue/0/${text}/locales/${key} "${clipText(key, 64)}" is not a locale, such as de or pt-BR.`,
            ],
      );
    }
  });

  it('and so is their number', () => {
    const code = (n: number) => `Q${String.fromCharCode(65 + (n % 26), 65 + Math.floor(n / 26))}`;
    const setTo = Object.fromEntries(times(DOCUMENT_LIMITS.currencies + 1, (n) => [code(n), '1']));
    const problems = problemsOf(configWith({ offers: [offer('a', { effect: { price: { setTo } } })] }));
    expect(problems).toEqual([expect.stringMatching(/^\/offers\/0\/effect\/price\/setTo .* 180 members\.$/)]);
  });
});

describe('what rules cost', () => {
  it('a sum over days costs most when it is worked out, which is once', () => {
    const read = compile('purchases.total > 1').cost;
    const window = compile('events["Win"].last28d > 1').cost;
    expect({ read, window }).toEqual({ read: 7, window: 37 });
    expect(compile('purchases.last7d > 1').cost).toBe(window);
    expect(compile('spend["USD"].last7d > 1.0').cost).toBe(window);
    expect(compile('events["Win"].last28d > 1 || events["Win"].last28d > 2').cost).toBe(window + read + 1);
    expect(compile('events["Win"].last28d > 1 || events["Win"].last7d > 2').cost).toBe(2 * window + 1);
    const rules = ['events["Win"].last28d > 1', 'events["Win"].last28d > 2', 'events["Lose"].last28d > 2'];
    expect(costTogether(rules.map(compile))).toBe(2 * window + read);
  });

  it('a list costs the same however long it is, unless it is looped over', () => {
    const list = (count: number) => `[${times(count, (n) => `"C${n}"`).join()}]`;
    expect(compile(`country in ${list(249)}`).cost).toBe(compile(`country in ${list(1)}`).cost);
    expect(compile(`${list(20)}.exists(c, c == country)`).cost).toBeGreaterThan(
      10 * compile(`${list(1)}.exists(c, c == country)`).cost,
    );
  });

  it('is bounded for one rule', () => {
    const [problem] = problemsOf(
      configWith({
        segments: [
          segment(
            'a',
            anyOf(54, (n) => `events["${n}"].last28d > 9`),
          ),
        ],
      }),
    );
    expect(problem).toContain('The rule costs too much: use fewer sums over days');
  });

  it('is bounded for all rules of a document together, those of flags, segments and offers', () => {
    const rule = (from: number) => anyOf(30, (n) => `events["${from}_${n}"].last28d > 9`);
    const hostile = configWith({
      flags: {
        isPayer: { payerForDays: null },
        custom: times(10, (n) => ({ flagId: `f${n}`, name: 'f', rule: rule(n), defaultValue: true })),
      },
      segments: times(10, (n) => segment(`s${n}`, rule(100 + n))),
      offers: times(16, (n) =>
        offer(`o${n}`, { when: n === 7 ? `${rule(200 + n)} || true` : rule(200 + n) }),
      ),
    });
    const cost = 36 * (30 * 37 + 29) + 2;
    expect(problemsOf(hostile)).toEqual([
      `/offers/7/when All rules together cost ${cost}, and can cost ${DOCUMENT_LIMITS.ruleCost} at most. This one costs most, 1141: use fewer sums over days, less arithmetic and shorter loops.`,
    ]);
    expect(problemsOf({ ...hostile, segments: hostile.segments.slice(1) })).toEqual([]);
  });

  it('of ordinary documents is far inside of the bound', () => {
    const countries = times(249, (n) => `"${String.fromCharCode(65 + (n % 26), 65 + Math.floor(n / 26))}"`);
    const ordinary = (count: number) =>
      configWith({
        segments: times(count, (n) =>
          segment(
            `s${n}`,
            `purchases.total > ${n} && daysSinceLastPurchase >= 30 && events["Level_${n % 40}"].last7d >= 10 && spend["EUR"].last28d < ${n}.0`,
          ),
        ),
        offers: times(count, (n) =>
          offer(`o${n}`, {
            when: `flags.isPayer && country in [${countries.join()}] && sessions.last7d > ${n}`,
          }),
        ),
      });
    for (const document of [DEFAULT_DOCUMENT, ordinary(50), ordinary(200)]) {
      expect(problemsOf(document)).toEqual([]);
    }
    expect(costOf(DEFAULT_DOCUMENT)).toBeLessThan(DOCUMENT_LIMITS.ruleCost / 100);
    expect(costOf(ordinary(50))).toBeLessThan(DOCUMENT_LIMITS.ruleCost / 5);
    expect(costOf(ordinary(200))).toBeLessThan(DOCUMENT_LIMITS.ruleCost / 2);
  });
});

it('offers together are about so many SKUs at most', () => {
  const broad = (offers: number) =>
    configWith({
      catalogue: times(500, (n) => sku(`s${n}`)),
      offers: times(offers, (n) => offer(`o${n}`, { skus: 'all', effect: { promoId: 'p' } })),
    });
  expect(problemsOf(broad(40))).toEqual([]);
  expect(problemsOf(broad(41))).toEqual([
    '/offers All offers together are about 20500 SKUs, and can be about 20000 at most. Let fewer of them be about all SKUs.',
  ]);
});
