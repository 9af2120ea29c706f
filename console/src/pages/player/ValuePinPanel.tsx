import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import type { GameValue } from '../../lib/document.js';
import { ValueInput } from '../../parts/ValueInput.js';
import { PinPanel } from './PinPanel.js';

type Props = {
  playerId: string;
  target: string;
  current: Schemas['Pin'] | undefined;
  /** What the player gets now. */
  shown: unknown;
  onClose: () => void;
};

export function ValuePinPanel({ current, shown, ...rest }: Props) {
  const [value, setValue] = useState(current?.value ?? shown);
  return (
    <PinPanel
      {...rest}
      kind="value"
      isPinned={current !== undefined}
      value={value}
      sentence="The player gets this value with the next request, whatever the rules say. Pins are for test devices."
    >
      <ValueInput label="Value" type={typeOf(shown)} value={value} error={undefined} onChange={setValue} />
    </PinPanel>
  );
}

/** By what the player gets now. The service checks the bounds of what is published. */
function typeOf(shown: unknown): GameValue['type'] {
  const kind = typeof shown;
  if (kind === 'boolean' || kind === 'number' || kind === 'string') return kind;
  return { kind: 'json', schema: true };
}
