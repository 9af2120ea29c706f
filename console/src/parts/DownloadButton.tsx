import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { OperationId, RequestOf } from '../api/client.js';
import { download } from '../api/download.js';
import { useStudioAndGame } from '../api/hooks.js';
import { ProblemNote } from './states.js';

export function DownloadButton<Id extends OperationId>({
  operation,
  request,
  fileName,
  label,
}: {
  operation: Id;
  request: RequestOf<Id>;
  fileName: string;
  label: string;
}) {
  const { studio } = useStudioAndGame();
  const save = useMutation({ mutationFn: () => download(operation, request, { studio, fileName }) });
  return (
    <>
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        {label}
      </Button>
      <ProblemNote problem={save.error} />
    </>
  );
}
