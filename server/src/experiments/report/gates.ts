import { checkSampleRatio } from '@savepoint/statistics';
import { count, percent } from './words.js';

/** What has to be right before a result means something. */
export type Gate = Readonly<{
  gate: 'sample_ratio' | 'two_arms' | 'arm_changed' | 'currency_changed' | 'too_few' | 'not_read';
  /** No result is shown. */
  isStopping: boolean;
  sentence: string;
}>;

export type GateInput = Readonly<{
  arms: readonly Readonly<{ variantId: string; weight: number; players: number; twoArms: number }>[];
  /** Publications since the start that changed what an arm gives. */
  armChanges: readonly Readonly<{ version: number; publishedOn: string; entries: readonly string[] }>[];
  /** Erased players whose revenue is in a former reporting currency. */
  erasedLeftOut?: number | undefined;
}>;

/** So many players who saw two arms make arms that differ look alike. */
const TWO_ARMS_FROM = 0.01;

export function checkGates({ arms, armChanges, erasedLeftOut = 0 }: GateInput): Gate[] {
  return [
    ...ratioGate(arms),
    ...twoArmsGate(arms),
    ...changeGate(armChanges),
    ...currencyGate(erasedLeftOut),
  ];
}

function ratioGate(arms: GateInput['arms']): Gate[] {
  if (!checkSampleRatio(arms).isMismatch) return [];
  const players = arms.reduce((sum, arm) => sum + arm.players, 0);
  const weights = arms.reduce((sum, arm) => sum + arm.weight, 0);
  const shares = arms.map(
    (arm) =>
      `${arm.variantId} has ${count(arm.players)} instead of about ${count(Math.round((players * arm.weight) / weights))}`,
  );
  return [
    {
      gate: 'sample_ratio',
      isStopping: true,
      sentence: `The arms do not have the players that their weights say: ${shares.join(', ')}. Usually players of one arm get lost, by a crash or a block, and then the arms differ by more than what they were given. Find the cause; the numbers cannot be repaired.`,
    },
  ];
}

function twoArmsGate(arms: GateInput['arms']): Gate[] {
  const players = arms.reduce((sum, arm) => sum + arm.players, 0);
  const both = arms.reduce((sum, arm) => sum + arm.twoArms, 0);
  if (players === 0 || both / players < TWO_ARMS_FROM) return [];
  return [
    {
      gate: 'two_arms',
      isStopping: false,
      sentence: `${count(both)} players (${percent(both / players)}) have seen two arms: they were in another arm under an earlier seed. That makes the arms look more alike than they are.`,
    },
  ];
}

function changeGate(changes: GateInput['armChanges']): Gate[] {
  if (changes.length === 0) return [];
  const list = changes.map(
    ({ version, publishedOn, entries }) => `version ${version} on ${publishedOn} (${entries.join(', ')})`,
  );
  return [
    {
      gate: 'arm_changed',
      isStopping: false,
      sentence: `What the arms give was changed while the experiment ran: ${list.join('; ')}. The result mixes what was before with what came after. Another seed begins anew.`,
    },
  ];
}

function currencyGate(players: number): Gate[] {
  if (players === 0) return [];
  return [
    {
      gate: 'currency_changed',
      isStopping: false,
      sentence: `${count(players)} players were erased while another reporting currency was in force. What they spent cannot be converted, so they are not in revenue.`,
    },
  ];
}
