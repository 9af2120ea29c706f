import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { freeId, replacedAt, type Sku } from '../../lib/document.js';
import { Icon } from '../../parts/Icon.js';

type Asset = Sku['assets'][number];

/** Links to the pictures and files of a SKU, as players get them. The console shows them as links: it sends no request to another server. */
export function Assets({
  assets,
  problemAt,
  onChange,
}: {
  assets: readonly Asset[];
  problemAt: (member: string) => string | undefined;
  onChange: (assets: Asset[]) => void;
}) {
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        Assets
      </Text>
      {assets.map((asset, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the id of an asset is edited here
        <Group key={index} gap={6} wrap="nowrap" align="flex-start">
          {(['assetId', 'type', 'url'] as const).map((member) => (
            <TextInput
              key={member}
              size="xs"
              {...(member === 'url' ? { flex: 1 } : { w: member === 'type' ? 90 : 110 })}
              aria-label={`${LABELS[member]} of asset ${index + 1}`}
              value={asset[member]}
              error={problemAt(`assets/${index}/${member}`)}
              onChange={({ currentTarget }) =>
                onChange(replacedAt(assets, index, { ...asset, [member]: currentTarget.value }))
              }
            />
          ))}
          <Anchor href={asset.url} target="_blank" rel="noreferrer" size="xs" pt={5}>
            open
          </Anchor>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove asset ${asset.assetId}`}
            onClick={() => onChange(assets.filter((_, at) => at !== index))}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() =>
            onChange([
              ...assets,
              {
                assetId: freeId(
                  'icon',
                  assets.map(({ assetId }) => assetId),
                ),
                type: 'image/png',
                url: 'https://',
              },
            ])
          }
        >
          Add asset
        </Button>
      </Group>
    </Stack>
  );
}

const LABELS = { assetId: 'Id', type: 'Type', url: 'Address' } as const;
