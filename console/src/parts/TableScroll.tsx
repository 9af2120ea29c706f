import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

/** Around a table that is wider than a narrow page. It takes the focus, so that the arrow keys scroll it, too. */
export function TableScroll({
  label,
  minWidth,
  maxHeight,
  children,
}: {
  label: string;
  minWidth: number;
  maxHeight?: number;
  children: ReactNode;
}) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      {...(maxHeight === undefined ? {} : { mah: maxHeight })}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
    >
      {children}
    </Table.ScrollContainer>
  );
}

/** The header of a column that needs no words for those who see it. */
export function HiddenHeader({ text, width }: { text: string; width?: number }) {
  return (
    <Table.Th {...(width === undefined ? {} : { w: width })}>
      <VisuallyHidden>{text}</VisuallyHidden>
    </Table.Th>
  );
}
