import { Autocomplete, NativeSelect, TagsInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { typeOf } from '../lib/attribute-usages.js';
import { type KnownValues, keysOf } from '../lib/known-values.js';
import {
  type Comparison,
  isAttributePath,
  literalOf,
  OPERATORS,
  type Operator,
  textOfLiteral,
  valueProblem,
  withAttribute,
} from '../lib/rule.js';
import { AttributeInput } from './AttributeInput.js';
import { useAttributes } from './use-attributes.js';

type Props = {
  condition: Comparison;
  known: KnownValues;
  onChange: (condition: Comparison) => void;
  isReadOnly: boolean;
};

/** Until they are loaded: always the same list, so that nothing is worked out again. */
type Choice = Operator | 'in' | 'not in';
const WORDS: Record<Choice, string> = {
  '==': 'is',
  '!=': 'is not',
  in: 'is one of',
  'not in': 'is none of',
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
};
const OF_TEXTS: readonly Choice[] = ['==', '!=', 'in', 'not in'];
const OF_NUMBERS: readonly Choice[] = [...OPERATORS, 'in', 'not in'];

/** An attribute, how it is compared, and with what. */
export function CompareFields({ condition, known, onChange, isReadOnly }: Props) {
  const attributes = useAttributes();
  const keys = useMemo(() => keysOf(known), [known]);
  const { attribute } = condition;
  const type = useMemo(() => typeOf(attributes, attribute), [attributes, attribute]);
  // A text that is no attribute stays in the field: in the rule it would end the builder in the middle of a word.
  const [unfinished, setUnfinished] = useState<string>();
  const choice: Choice = condition.kind === 'compare' ? condition.operator : condition.isIn ? 'in' : 'not in';
  const choices = [...new Set([...(type === 'string' ? OF_TEXTS : OF_NUMBERS), choice])];
  return (
    <>
      <AttributeInput
        aria-label="Attribute"
        attributes={attributes}
        keys={keys}
        disabled={isReadOnly}
        value={unfinished ?? attribute}
        onChange={(next) => {
          const isComplete = isAttributePath(next);
          setUnfinished(isComplete ? undefined : next);
          if (isComplete) onChange(withAttribute(condition, next, typeOf(attributes, next)));
        }}
        onBlur={() => setUnfinished(undefined)}
      />
      <NativeSelect
        size="xs"
        w={110}
        aria-label="Operator"
        disabled={isReadOnly}
        value={choice}
        data={choices.map((each) => ({ value: each, label: WORDS[each] }))}
        onChange={({ currentTarget }) => onChange(withChoice(condition, currentTarget.value as Choice))}
      />
      <ValueField
        // A text that does not fit the attribute before is not kept for the next one.
        key={attribute}
        {...{ condition, type, onChange, isReadOnly }}
        values={known[attribute]?.values ?? []}
      />
    </>
  );
}

/** The comparison with another operator. A list keeps the value, and a value the first of the list. */
function withChoice(condition: Comparison, choice: Choice): Comparison {
  const { attribute } = condition;
  const literals = condition.kind === 'oneOf' ? condition.literals : [condition.literal];
  return choice === 'in' || choice === 'not in'
    ? { kind: 'oneOf', attribute, isIn: choice === 'in', literals: literals.filter((each) => each !== '""') }
    : { kind: 'compare', attribute, operator: choice, literal: literals[0] ?? '""' };
}

function ValueField({
  condition,
  type,
  values,
  onChange,
  isReadOnly,
}: Omit<Props, 'known'> & { type: string | undefined; values: readonly string[] }) {
  // A value that does not fit the attribute stays in the field, with what is wrong: `14 days` is no number.
  const [refused, setRefused] = useState<string>();
  const literals = condition.kind === 'oneOf' ? condition.literals : [condition.literal];
  const isText = type === undefined ? literals.some((each) => each.startsWith('"')) : type === 'string';
  const problem = refused === undefined ? undefined : valueProblem(refused, type);
  const field = { size: 'xs', disabled: isReadOnly, data: [...values], error: problem } as const;
  if (condition.kind === 'oneOf')
    return (
      <TagsInput
        {...field}
        flex="1 1 9rem"
        aria-label="Values"
        placeholder={literals.length === 0 ? 'value, value' : ''}
        value={literals.map(textOfLiteral)}
        onChange={(next) => {
          const wrong = next.find((text) => valueProblem(text, type) !== undefined);
          setRefused(wrong);
          const fitting = next.filter((text) => valueProblem(text, type) === undefined);
          onChange({ ...condition, literals: fitting.map((text) => literalOf(text, isText)) });
        }}
      />
    );
  return (
    <Autocomplete
      {...field}
      w={problem === undefined ? 110 : 170}
      aria-label="Value"
      value={refused ?? textOfLiteral(condition.literal)}
      onChange={(next) => {
        const fits = valueProblem(next, type) === undefined;
        setRefused(fits ? undefined : next);
        if (fits) onChange({ ...condition, literal: literalOf(next, isText) });
      }}
    />
  );
}
