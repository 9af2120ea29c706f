import { Badge } from '@mantine/core';

export function YesNo({ value }: { value: boolean }) {
  return (
    <Badge miw="fit-content" color={value ? 'teal' : 'gray'} variant="light">
      {value ? 'yes' : 'no'}
    </Badge>
  );
}
