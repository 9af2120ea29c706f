import { TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** For a code of the authenticator app. It appears after another step, so it takes the focus. */
export function CodeInput({
  value,
  onChange,
  isRecoveryAllowed = false,
}: {
  value: string;
  onChange: (code: string) => void;
  /** For signing in: a recovery code is accepted, too. */
  isRecoveryAllowed?: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <TextInput
      ref={input}
      label={
        isRecoveryAllowed ? 'Code of your authenticator app, or a recovery code' : 'Code that the app shows'
      }
      description="Each code works once."
      autoComplete="one-time-code"
      required
      maxLength={isRecoveryAllowed ? 24 : 6}
      {...(isRecoveryAllowed ? {} : { inputMode: 'numeric' })}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
