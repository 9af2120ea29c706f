import { Alert } from '@mantine/core';
import { useGet } from '../api/hooks.js';

const EVERY_MS = 60_000;

/** What is wrong with the node that serves the console, above every page. */
export function InstallationWarnings() {
  const { data } = useGet('listInstallationWarnings', {}, { everyMs: EVERY_MS });
  return data?.warnings.map(({ code, message }) => (
    <Alert key={code} color="red" role="alert" mb="md" title={message}>
      Tell the operators of this installation.
    </Alert>
  ));
}
