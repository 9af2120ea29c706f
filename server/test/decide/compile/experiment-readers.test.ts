import { expect, it } from 'vitest';
import { experimentReaders, unreadExperiments } from '../../../src/decide/compile/experiment-readers.js';
import { configWith, experiment, offer, segment, value } from '../support/fixtures.js';

it('finds the entries that read an experiment, also through segments', () => {
  const cheap = offer('cheap', { when: '"treated" in segments' });
  const treated = segment('treated', 'experiment("x") == "b"');
  const document = configWith({
    experiments: [experiment('x'), experiment('y'), experiment('z')],
    segments: [treated, segment('german', 'country == "DE"')],
    offers: [cheap, offer('other', { when: '"german" in segments' })],
    values: [
      value('jump', {
        rules: [
          { when: 'experiment("x") == "a"', sharePercent: 100, value: 2 },
          { when: 'experiment("y") == "a"', sharePercent: 100, value: 3 },
        ],
      }),
    ],
  });
  const readers = experimentReaders(document);
  expect([...(readers.get('x')?.keys() ?? [])]).toEqual(['segment:treated', 'offer:cheap', 'value:jump']);
  expect(readers.get('x')?.get('offer:cheap')).toBe(cheap);
  expect([...(readers.get('y')?.keys() ?? [])]).toEqual(['value:jump']);
  expect(readers.get('z')?.size).toBe(0);
});

it('finds rules about own attributes, too', () => {
  const level = {
    ...{ attributeId: 'level', description: '', eventType: 'Level_Up', member: 'payload.level' },
    ...({ fold: 'max', type: 'integer' } as const),
  };
  const high = segment('high', 'own.level >= 3 && experiment("x") == "b"');
  const document = configWith({ attributes: [level], experiments: [experiment('x')], segments: [high] });
  expect([...(experimentReaders(document).get('x')?.keys() ?? [])]).toEqual(['segment:high']);
});

it('finds the offer of a hold-out', () => {
  const held = offer('held', { holdoutPercent: 5 });
  const readers = experimentReaders(configWith({ offers: [held, offer('other')] }));
  expect([...readers]).toEqual([['offer:held', new Map([['offer:held', held]])]]);
});

it('finds running experiments that no rule reads', () => {
  const running = ['segment', 'flag', 'value', 'offer', 'unread'].map((id) =>
    experiment(id, { state: 'running' }),
  );
  const rule = (id: string) => `experiment("${id}") == "b"`;
  const document = configWith({
    experiments: [...running, experiment('planned', { state: 'planned' })],
    flags: {
      isPayer: { payerForDays: 90 },
      custom: [{ flagId: 'told', name: 'Told', defaultValue: false, rule: rule('flag') }],
    },
    // A name is no rule.
    segments: [segment('treated', rule('segment'), { name: rule('unread') })],
    offers: [offer('cheap', { when: `country == "DE" && ${rule('offer')}` })],
    values: [value('jump', { rules: [{ when: rule('value'), sharePercent: 100, value: 2 }] })],
  });
  expect(unreadExperiments(document)).toEqual(['unread']);
});
