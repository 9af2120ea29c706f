import { Alert, Button, Fieldset, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, useStudioAndGame } from '../../api/hooks.js';
import { parseJson } from '../../lib/json-text.js';
import { ProblemNote } from '../../parts/states.js';

/** Says what would happen to a purchase with a receipt, by the settings that are saved. */
export function ReceiptTest() {
  const { game } = useStudioAndGame();
  const [text, setText] = useState('');
  const test = useApiMutation('testReceipt');
  const receipt = parseJson(text);
  return (
    <Fieldset legend="Send a test">
      <Stack gap="sm">
        <Textarea
          label="Receipt"
          description="JSON as in payload.receipt of a Purchase. Nothing is stored."
          placeholder='{"store":"apple","signedTransaction":"…"}'
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={text !== '' && receipt === undefined ? 'This is no JSON.' : undefined}
        />
        <ProblemNote problem={test.error} />
        {test.data !== undefined && (
          <Alert
            color={test.data.isAccepted ? 'green' : 'red'}
            title={test.data.isAccepted ? 'It would count' : `It would be refused: ${test.data.code}`}
          >
            {test.data.message}
          </Alert>
        )}
        <Group>
          <Button
            variant="default"
            disabled={receipt === undefined}
            loading={test.isPending}
            onClick={() => test.mutate({ params: { game }, body: { receipt } })}
          >
            Send a test
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
