import { StartupError } from '../../platform/lib/startup-error.js';
import { printable } from '../../studio/cli/printable.js';
import type { Change, Reactions } from '../../studio/cli/simulator-module.js';

const ARM = /^([^:]+):([^:]+):(.+)$/;
const PART = /^(conversion|spend|retention)=([+-]\d{1,3}(?:\.\d{1,2})?)%$/;
/** Above it, more than all players would come back in some simulations. */
const LARGEST_PERCENT = 100;

/** Reads `first_offer:half:conversion=+20%,spend=-5%`, once for each arm that changes something; undefined if there is none. */
export function readReactions(texts: readonly string[]): Reactions | undefined {
  const arms = texts.map(readArm);
  const [first] = arms;
  if (first === undefined) return undefined;
  const { experimentId } = first;
  if (arms.some((arm) => arm.experimentId !== experimentId)) {
    throw new StartupError('--react: players can react to the arms of one experiment at a time.');
  }
  return {
    experimentId,
    changes: Object.fromEntries(arms.map(({ variantId, change }) => [variantId, change])),
  };
}

function readArm(text: string): { experimentId: string; variantId: string; change: Change } {
  const [, experimentId, variantId, parts] = ARM.exec(text) ?? [];
  if (experimentId === undefined || variantId === undefined || parts === undefined) throw unreadable(text);
  const change = { conversion: 1, spend: 1, retention: 1 };
  for (const part of parts.split(',')) {
    const [, name, percent] = PART.exec(part) ?? [];
    if (name === undefined || Math.abs(Number(percent)) > LARGEST_PERCENT) throw unreadable(text);
    change[name as keyof Change] = (100 + Number(percent)) / 100;
  }
  return { experimentId, variantId, change };
}

function unreadable(text: string): StartupError {
  return new StartupError(
    `--react: "${printable(text)}" is not <experiment>:<variant>:conversion=+20%. After the variant come conversion, spend or retention, each with a change of -100% to +100%, separated by commas.`,
  );
}
