import { NativeSelect } from '@mantine/core';
import type { KnownValues } from '../lib/known-values.js';
import type { Condition } from '../lib/rule.js';
import { CompareFields } from './CompareFields.js';

/** What a condition may name. */
export type ConditionChoices = {
  segments: readonly string[];
  flags: readonly string[];
  known: KnownValues;
  isReadOnly: boolean;
};

type Props = ConditionChoices & { condition: Condition; onChange: (condition: Condition) => void };

export function ConditionFields({ condition, onChange, segments, flags, known, isReadOnly }: Props) {
  if (condition.kind === 'compare' || condition.kind === 'oneOf') {
    return <CompareFields {...{ condition, known, onChange, isReadOnly }} />;
  }
  const isSegment = condition.kind === 'segment';
  const value = isSegment ? condition.segmentId : condition.flagId;
  const isTrue = isSegment ? condition.isIn : condition.isSet;
  const write = (id: string, holds: boolean): Condition =>
    isSegment ? { kind: 'segment', segmentId: id, isIn: holds } : { kind: 'flag', flagId: id, isSet: holds };
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={isSegment ? 'Membership' : 'State of the flag'}
        disabled={isReadOnly}
        value={isTrue ? 'yes' : 'no'}
        data={
          isSegment
            ? [
                { value: 'yes', label: 'in segment' },
                { value: 'no', label: 'not in segment' },
              ]
            : [
                { value: 'yes', label: 'flag is set' },
                { value: 'no', label: 'flag is not set' },
              ]
        }
        onChange={({ currentTarget }) => onChange(write(value, currentTarget.value === 'yes'))}
      />
      <NativeSelect
        size="xs"
        aria-label={isSegment ? 'Segment' : 'Flag'}
        disabled={isReadOnly}
        value={value}
        data={[...new Set([...(isSegment ? segments : flags), value])]}
        onChange={({ currentTarget }) => onChange(write(currentTarget.value, isTrue))}
      />
    </>
  );
}
