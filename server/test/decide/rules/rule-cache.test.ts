import { describe, expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY } from '../../../src/decide/attributes/attributes.js';
import { withOwnAttributes } from '../../../src/decide/attributes/own-attribute.js';
import { RuleCache } from '../../../src/decide/rules/rule-cache.js';
import type { RuleScope } from '../../../src/decide/rules/rule-paths.js';
import { compileRule } from '../../../src/decide/rules/rules.js';

const scope = (more: Partial<RuleScope> = {}): RuleScope => ({
  attributes: ATTRIBUTE_REGISTRY,
  segments: new Set(['payers']),
  flags: new Set(['vip']),
  experiments: new Map([['test', ['a', 'b']]]),
  ...more,
});
const ruleOf = (expression: string, within = scope()) => {
  const compiled = compileRule(expression, within);
  return compiled.ok ? compiled.rule : undefined;
};

describe('rules that were compiled before', () => {
  it('are the same objects, for other documents, too', () => {
    const expression = 'segment("payers") && flags.vip && purchases.total > 3';
    const rule = ruleOf(expression);
    expect(rule).toBeDefined();
    expect(ruleOf(expression, scope({ segments: new Set(['payers', 'others']) }))).toBe(rule);
  });

  it('are refused where a segment or flag is missing', () => {
    expect(ruleOf('segment("payers")')).toBeDefined();
    expect(ruleOf('segment("payers")', scope({ segments: new Set() }))).toBeUndefined();
    expect(ruleOf('flags.vip')).toBeDefined();
    expect(ruleOf('flags.vip', scope({ flags: new Set() }))).toBeUndefined();
  });

  it('are compiled anew for other attributes, and where they ask for an experiment', () => {
    const level = (type: 'integer' | 'string') =>
      withOwnAttributes(ATTRIBUTE_REGISTRY, [
        { attributeId: 'level', eventType: 'Level', member: 'n', fold: 'last', type },
      ]);
    expect(ruleOf('own.level > 3', scope({ attributes: level('integer') }))).toBeDefined();
    expect(ruleOf('own.level > 3', scope({ attributes: level('string') }))).toBeUndefined();
    expect(ruleOf('experiment("test") == "b"')).toBeDefined();
    expect(ruleOf('experiment("test") == "b"', scope({ experiments: new Map([['test', ['a']]]) }))).toBe(
      undefined,
    );
  });

  it('are forgotten where the cache is full, those used last at the end', () => {
    const cache = new RuleCache(10);
    const keep = (expression: string) =>
      cache.keep({ expression, segments: [], flags: [], experiments: [] }, scope());
    keep('aaaa');
    keep('bbbb');
    keep('aaaa');
    keep('cccc');
    expect(['aaaa', 'bbbb', 'cccc'].map((each) => cache.find(each, scope())?.expression)).toEqual([
      'aaaa',
      undefined,
      'cccc',
    ]);
    expect(cache.find('aaaa', scope())).toBeDefined();
    keep('dddd');
    expect(cache.find('cccc', scope())).toBeUndefined();
  });

  it('are forgotten where there are too many short ones', () => {
    const cache = new RuleCache(10, 2);
    for (const expression of ['a', 'b', 'c'])
      cache.keep({ expression, segments: [], flags: [], experiments: [] }, scope());
    expect(['a', 'b', 'c'].map((each) => cache.find(each, scope())?.expression)).toEqual([
      undefined,
      'b',
      'c',
    ]);
  });
});
