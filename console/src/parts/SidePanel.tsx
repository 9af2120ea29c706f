import { Drawer, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** A form beside the list, which stays visible. Escape closes the panel; the caller keeps what was typed. */
export function SidePanel({
  title,
  isOpen,
  onClose,
  actions,
  isWide = false,
  children,
}: {
  title: ReactNode;
  isOpen: boolean;
  /** Room for two columns, where the screen has it. */
  isWide?: boolean;
  onClose: () => void;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" size={isWide ? 980 : 'lg'}>
      <Drawer.Overlay backgroundOpacity={0.15} />
      <Drawer.Content>
        {/* Otherwise the page would have two banners for those who hear it. */}
        <Drawer.Header role="presentation">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body>
          <Stack gap="md">
            {children}
            {actions && (
              <Group justify="flex-end" gap="sm">
                {actions}
              </Group>
            )}
          </Stack>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
