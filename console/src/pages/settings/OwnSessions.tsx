import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useApiMutation, usePages, useRefresh } from '../../api/hooks.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

/** The sessions of the signed-in person, who can end each of them. */
export function OwnSessions() {
  const refresh = useRefresh();
  const pages = usePages('listOwnSessions');
  const rows = pages.data?.pages.flatMap(({ sessions }) => sessions);
  const onDone = () => refresh('listOwnSessions');
  const end = useApiMutation('endOwnSession', { onDone });
  const endOthers = useApiMutation('endOtherSessions', { onDone });
  const hasOthers = rows?.some(({ isCurrent }) => !isCurrent) ?? false;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Where you are signed in
      </Title>
      <Text size="sm">
        If you do not know one of these, end it and change your password. The network is where the session was
        begun, roughly.
      </Text>
      <ProblemNote problem={pages.error ?? end.error ?? endOthers.error} />
      <DataTable
        label="Your sessions"
        rows={rows}
        rowKey={({ sessionId }) => sessionId}
        empty={null}
        more={moreOf(pages)}
        columns={[
          { id: 'browser', header: 'Browser', cell: ({ browser }) => browser ?? 'unknown' },
          { id: 'network', header: 'From', cell: ({ network }) => network ?? 'unknown' },
          { id: 'signedIn', header: 'Signed in', cell: ({ signedInAt }) => <Moment at={signedInAt} /> },
          { id: 'seen', header: 'Last used', cell: ({ seenAt }) => <Moment at={seenAt} /> },
          {
            id: 'end',
            header: '',
            cell: ({ sessionId, isCurrent, browser }) =>
              isCurrent ? (
                <Badge variant="light" color="teal">
                  this one
                </Badge>
              ) : (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  aria-label={`End the session of ${browser ?? 'an unknown browser'}`}
                  loading={end.isPending && end.variables?.params?.sessionId === sessionId}
                  onClick={() => end.mutate({ params: { sessionId } })}
                >
                  End
                </Button>
              ),
          },
        ]}
      />
      {hasOthers && (
        <Group>
          <Button
            variant="outline"
            color="red"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate({})}
          >
            End all others
          </Button>
        </Group>
      )}
    </Stack>
  );
}
