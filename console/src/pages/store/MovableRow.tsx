import { ActionIcon, Table } from '@mantine/core';
import { type DragEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { Icon } from '../../parts/Icon.js';

/** A type of its own, so that a file or a text that is dropped on a row moves nothing. */
const ROW = 'application/x-savepoint-row';

type Props = {
  name: string;
  index: number;
  isReadOnly: boolean;
  onMove: (from: number, to: number) => void;
  /** The cells behind the handle. */
  children: ReactNode;
};

/** A row of a list whose order matters. Its handle moves it; a row that is dropped on it takes its place. */
export function MovableRow({ name, index, isReadOnly, onMove, children }: Props) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (isReadOnly || !event.dataTransfer.types.includes(ROW)) return;
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    const from = event.dataTransfer.getData(ROW);
    if (isReadOnly || from === '') return;
    event.preventDefault();
    if (Number(from) !== index) onMove(Number(from), index);
  };
  return (
    <Table.Tr
      data-over={isOver}
      aria-label={name}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Table.Td>{!isReadOnly && <Handle name={name} index={index} onMove={onMove} />}</Table.Td>
      {children}
    </Table.Tr>
  );
}

/** Dragged with the mouse, moved with Alt and the arrow keys. */
function Handle({ name, index, onMove }: Pick<Props, 'name' | 'index' | 'onMove'>) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    onMove(index, index + (event.key === 'ArrowUp' ? -1 : 1));
  };
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      className="handle"
      draggable
      aria-label={`Move ${name}: Alt and arrow keys`}
      onKeyDown={onKeyDown}
      onDragStart={(event: DragEvent) => event.dataTransfer.setData(ROW, String(index))}
    >
      <Icon name="grip" />
    </ActionIcon>
  );
}
