import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiProblem, call } from '../../api/client.js';
import { useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { usePictures } from '../../api/use-pictures.js';
import { thumbnailOf } from '../../lib/thumbnail.js';
import { ProblemNote } from '../../parts/states.js';
import { Thumbnail } from '../../parts/Thumbnail.js';

/** The thumbnail of a SKU for editors of the catalogue. It is not part of the draft: all members see a new one at once. */
export function SkuPicture({ skuId, isReadOnly }: { skuId: string; isReadOnly: boolean }) {
  const { studio, game } = useStudioAndGame();
  const refresh = useRefresh();
  const picture = usePictures().get(skuId);
  const request = { params: { game }, query: { skuId } };
  const change = useMutation<void, Error, File | null>({
    mutationFn: async (file) => {
      if (file === null) {
        await call('deletePicture', request, { studio });
        return;
      }
      const content = await thumbnailOf(file).catch(() => {
        throw new ApiProblem(
          0,
          'picture_unreadable',
          'The file is not a picture that this browser can read.',
        );
      });
      await call('setPicture', { ...request, body: { content } }, { studio });
    },
    onSuccess: () => refresh('listPictures'),
  });
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Thumbnail src={picture} name={skuId} size={64} />
        {!isReadOnly && (
          <>
            <FileButton
              accept="image/png,image/jpeg,image/webp,image/gif"
              onChange={(file) => file && change.mutate(file)}
            >
              {(props) => (
                <Button {...props} size="xs" variant="default" loading={change.isPending}>
                  {picture === undefined ? 'Choose a picture' : 'Choose another picture'}
                </Button>
              )}
            </FileButton>
            {picture !== undefined && (
              <Button size="xs" variant="subtle" color="red" onClick={() => change.mutate(null)}>
                Remove the picture
              </Button>
            )}
          </>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        For the people who work here. Players get the assets below.
      </Text>
      <ProblemNote problem={change.error} />
    </Stack>
  );
}
