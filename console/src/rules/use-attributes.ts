import { useMemo } from 'react';
import { useGet } from '../api/hooks.js';
import { useDraft } from '../draft/draft-context.js';
import { type RuleAttribute, withOwn } from '../lib/own-attributes.js';

const NO_ATTRIBUTES: readonly RuleAttribute[] = [];

/** What the rules of the draft can ask about a player. */
export function useAttributes(): readonly RuleAttribute[] {
  const { data } = useGet('listAttributes');
  const own = useDraft().document?.attributes;
  return useMemo(() => withOwn(data?.attributes ?? NO_ATTRIBUTES, own ?? []), [data, own]);
}
