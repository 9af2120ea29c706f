import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';

export function NotFound() {
  return (
    <Stack p="xl" maw={520} gap="sm">
      <Title order={1} size="h2">
        There is no such page
      </Title>
      <Text>The address may have been cut, or it belongs to another installation.</Text>
      <Anchor href="/console/">Go to the console's first page</Anchor>
    </Stack>
  );
}

/** The usual cause is a file of a build that has been replaced: loading the page again gets the new build. */
export function PageFailed({ error }: ErrorComponentProps) {
  return (
    <Stack p="xl" maw={620} gap="sm" align="flex-start">
      <Title order={1} size="h2">
        This page could not be shown
      </Title>
      <Text>{error instanceof Error ? error.message : String(error)}</Text>
      <Text>If the service was updated meanwhile, loading the page again helps.</Text>
      <Button onClick={() => window.location.reload()}>Load the page again</Button>
    </Stack>
  );
}
