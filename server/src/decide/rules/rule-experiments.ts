import type { ASTNode } from '@marcbachmann/cel-js';
import type { Suggest } from '../../platform/lib/nearest-name.js';
import type { KnownExperiments, RuleFinding } from './rule-paths.js';

/** The experiment of `experiment("price_test")`; undefined for any other node. */
export function experimentOf(node: ASTNode): string | undefined {
  if (node.op !== 'call' || node.args[0] !== 'experiment') return undefined;
  const [first] = node.args[1];
  return first?.op === 'value' && typeof first.args === 'string' ? first.args : undefined;
}

/** Texts that an experiment is compared with and that are none of its variants. An empty text is for players who are not in it. */
export function variantFindings(
  node: ASTNode,
  texts: readonly ASTNode[],
  experiments: KnownExperiments,
  suggest: Suggest,
): RuleFinding[] {
  const experimentId = experimentOf(node);
  const variants = experimentId === undefined ? undefined : experiments.get(experimentId);
  // None are known of an experiment whose entry has the wrong shape, which is a problem of its own.
  if (variants === undefined || variants.length === 0) return [];
  return texts.flatMap((text) => {
    if (text.op !== 'value' || typeof text.args !== 'string') return [];
    const variantId = text.args;
    if (variantId === '' || variants.includes(variantId)) return [];
    const instead = suggest(variantId, variants) || ` It has ${variants.join(', ')}.`;
    const message = `The experiment "${experimentId}" has no variant "${variantId}".${instead}`;
    return [{ message, offset: text.pos }];
  });
}
