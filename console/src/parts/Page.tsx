import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { DeferredContent } from './DeferredContent.js';

/** The head of every page: its title, the question that it answers, and its actions. */
export function Page({
  title,
  question,
  actions,
  children,
}: {
  title: ReactNode;
  /** The question that the page answers, in one sentence. */
  question?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const name = typeof title === 'string' ? title : undefined;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Savepoint`;
  }, [name]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {question && (
            <Text c="dimmed" size="sm">
              {question}
            </Text>
          )}
        </div>
        <Group gap="xs">
          <DeferredContent>{actions}</DeferredContent>
        </Group>
      </Group>
      <DeferredContent placeholder={<Skeleton height={200} role="status" aria-label="Loading" />}>
        {children}
      </DeferredContent>
    </Stack>
  );
}
