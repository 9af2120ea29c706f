import { Card, Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The pages outside the frame: one small form in the middle. */
export function SignInCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder w={400} maw="100%" padding="lg">
        <Stack gap="md">
          <div>
            <Text fw={700} c="dimmed" size="sm">
              Savepoint
            </Text>
            <Title order={1} size="h3">
              {title}
            </Title>
          </div>
          {children}
        </Stack>
      </Card>
    </Center>
  );
}
