import { Button, Checkbox, Group, Modal, Select, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useStudioAndGame } from '../../api/hooks.js';
import { isPriceRaise, PriceRaises } from '../../draft/PriceRaises.js';
import { ProblemNote } from '../../parts/states.js';

/** Ends the experiment: one publication gives everybody the winner. */
export function EndExperiment({ shown }: { shown: DataOf<'getExperiment'> }) {
  const { game } = useStudioAndGame();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [winner, setWinner] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const { experimentId, variants, name } = shown.experiment;
  const end = useApiMutation('endExperiment', {
    onDone: () => {
      setOpen(false);
      void client.invalidateQueries();
    },
  });
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        End …
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`End “${name}”`}>
        <Stack gap="sm">
          <Text size="sm">
            Everybody {shown.experiment.when === null ? '' : 'who may enter '}gets what the winner’s arm
            gives, with the next request.
            {shown.experiment.when !== null &&
              ' Players of the experiment who may not enter any more lose it.'}{' '}
            This publishes version {shown.version + 1}. The report stays as it is. A draft stays as it is.
          </Text>
          <Select
            label="Winner"
            data={variants.map(({ variantId, name: title }) => ({
              value: variantId,
              label: `${variantId} ${title}`,
            }))}
            value={winner}
            onChange={(chosen) => {
              setWinner(chosen);
              // Another winner raises other prices.
              setConfirmed(false);
              end.reset();
            }}
          />
          <Textarea
            label="Why"
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            autosize
          />
          {isPriceRaise(end.error) ? (
            <>
              <PriceRaises problem={end.error} />
              <Checkbox
                label="These prices are meant to go up"
                checked={isConfirmed}
                onChange={({ currentTarget }) => setConfirmed(currentTarget.checked)}
              />
            </>
          ) : (
            <ProblemNote problem={end.error} />
          )}
          <Group justify="flex-end">
            <Button
              size="xs"
              disabled={winner === null}
              loading={end.isPending}
              onClick={() =>
                end.mutate({
                  params: { game, experimentId },
                  body: {
                    ...{ winner: winner ?? '', note, basedOn: shown.version },
                    ...(isConfirmed ? { confirmPriceRaises: true } : {}),
                  },
                })
              }
            >
              Publish
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
