import { Alert, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { saveFile } from '../../lib/save-file.js';
import { CopyTextButton } from '../../parts/texts.js';

/** The new codes. The service cannot show them again. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const text = `${codes.join('\n')}\n`;
  return (
    <Alert color="teal" variant="light" title="Keep your recovery codes">
      <Stack gap="sm">
        <Text size="sm">
          Each signs you in once, if you do not have your phone. Print them, or keep them in a password
          manager. They are shown only now.
        </Text>
        <SimpleGrid
          cols={{ base: 1, xs: 2 }}
          spacing="xs"
          component="ul"
          m={0}
          p={0}
          aria-label="Recovery codes"
        >
          {codes.map((code) => (
            <li key={code} style={{ listStyle: 'none' }}>
              <Code fz="sm">{code}</Code>
            </li>
          ))}
        </SimpleGrid>
        <Group gap="sm">
          <CopyTextButton text={text} label="Copy all" />
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), 'savepoint-recovery-codes.txt')}
          >
            Save as a file
          </Button>
          <Button size="compact-xs" onClick={onKept}>
            I have kept them
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
