import { Kbd, Modal, Table, Text } from '@mantine/core';
import { PAGES } from './navigation.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Find a player by user id or a part of it, device id or transaction id'],
  ['?', 'This list'],
  ['Ctrl S', 'Save the draft'],
  ['Alt ↑ ↓', 'Move the SKU or offer whose handle has the focus'],
  ['Esc', 'Close a panel'],
];

export function Help({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keys" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Table>
        <Table.Tbody>
          {[...KEYS, ...PAGES.map(({ name, key }) => [`g ${key}`, name] as const)].map(([keys, does]) => (
            <Table.Tr key={keys}>
              <Table.Td className="nowrap">
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed" mt="sm">
        Every view has an address of its own: copy it to share what you see.
      </Text>
    </Modal>
  );
}
