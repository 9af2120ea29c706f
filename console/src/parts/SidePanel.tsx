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
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={title}
      position="right"
      size={isWide ? 980 : 'lg'}
      overlayProps={{ backgroundOpacity: 0.15 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        {children}
        {actions && (
          <Group justify="flex-end" gap="sm">
            {actions}
          </Group>
        )}
      </Stack>
    </Drawer>
  );
}
