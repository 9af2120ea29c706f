import { Checkbox, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import type { ConfigDocument } from '../../lib/document.js';

type Settings = NonNullable<ConfigDocument['predictions']>;
type Name = Settings['off'][number];

const NAMES: readonly (readonly [Name, string])[] = [
  ['churn', 'Does not come back within 7 days'],
  ['spend', 'Spends within 7 days'],
  ['purchases', 'Purchases of 28 days'],
  ['revenue', 'Revenue of 28 days'],
  ['revenue90', 'Revenue of 90 days'],
  ['payerAlive', 'Payer will buy again'],
];
const NONE: Settings = { visibleToClients: [], off: [] };

/** Which predictions games get, and which are switched off. Part of the draft. */
export function PredictionSettings() {
  const { document, edit } = useDraft();
  const { isEditor } = useRole();
  if (document === undefined) return <Skeleton height={240} role="status" aria-label="Loading" />;
  const { visibleToClients, off } = document.predictions ?? NONE;
  const toggle = (member: keyof Settings, name: Name, isOn: boolean) =>
    edit((before) => {
      const settings = before.predictions ?? NONE;
      const wanted = new Set(settings[member]);
      if (isOn) wanted.add(name);
      else wanted.delete(name);
      const names = NAMES.map(([each]) => each).filter((each) => wanted.has(each));
      return { ...before, predictions: { ...settings, [member]: names } };
    });
  return (
    <fieldset disabled={!isEditor} className="plain">
      <Stack gap="sm" maw={640}>
        <Text size="sm" c="dimmed">
          Predictions are not sent to the player's device unless the studio decides so. A prediction that is
          off is an average, for games and for rules.
        </Text>
        <Table aria-label="Predictions" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Prediction</Table.Th>
              <Table.Th>Games are told</Table.Th>
              <Table.Th>Off</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {NAMES.map(([name, label]) => (
              <Table.Tr key={name}>
                <Table.Td>
                  {label}{' '}
                  <Text span size="xs" c="dimmed" className="mono">
                    {name}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Checkbox
                    aria-label={`Games are told ${name}`}
                    checked={visibleToClients.includes(name)}
                    onChange={({ currentTarget }) => toggle('visibleToClients', name, currentTarget.checked)}
                  />
                </Table.Td>
                <Table.Td>
                  <Checkbox
                    aria-label={`${name} is off`}
                    checked={off.includes(name)}
                    onChange={({ currentTarget }) => toggle('off', name, currentTarget.checked)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </fieldset>
  );
}
