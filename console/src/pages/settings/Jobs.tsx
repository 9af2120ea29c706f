import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { type Job, outcomeOf, progressOf, titleOf } from '../../lib/jobs.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { CancelJob } from '../../parts/JobProgress.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { Moment, Person } from '../../parts/texts.js';

const RUNNING_MS = 1_500;

/** Long work of all members in one place: what runs, and what came of it. Exports have a list of their own, with their files. */
export function Jobs() {
  const { studio, game } = useStudioAndGame();
  const pages = usePages(
    'listJobs',
    { params: { game } },
    {
      everyMs: ({ jobs }) => (jobs.some(({ state }) => state === 'running') ? RUNNING_MS : false),
    },
  );
  return (
    <Stack gap="md">
      <Text size="sm">
        This work goes on when its page is left. Results are kept for a day. Exports are under{' '}
        <Anchor
          size="sm"
          // Within a sentence, colour alone does not mark a link.
          underline="always"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/$studio/$game/events"
              params={{ studio, game }}
              search={{ tab: 'exports' }}
            />
          )}
        >
          Events
        </Anchor>
        .
      </Text>
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <DataTable
        label="Background work"
        rows={pages.data?.pages.flatMap(({ jobs }) => jobs)}
        rowKey={({ jobId }) => jobId}
        more={moreOf(pages)}
        empty={
          <EmptyState title="Nothing runs, and nothing has run since yesterday">
            <Text size="sm">
              Dry runs, replays of refused events, flags from a file, trainings and funnels that you start are
              listed here.
            </Text>
          </EmptyState>
        }
        columns={[
          { id: 'what', header: 'What', cell: (job) => <Title job={job} /> },
          {
            id: 'by',
            header: 'By',
            cell: ({ createdBy, createdByEmail }) => <Person name={createdBy} email={createdByEmail} />,
          },
          { id: 'started', header: 'Started', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          { id: 'state', header: 'State', cell: (job) => <State job={job} /> },
        ]}
      />
    </Stack>
  );
}

/** Leads to the page that shows the result. */
function Title({ job }: { job: Job }) {
  const { studio, game } = useStudioAndGame();
  const target = {
    dry_run: { to: '/$studio/$game/store', search: { panel: 'dry-run' } },
    back_test: { to: '/$studio/$game/store', search: { panel: 'back-test' } },
    replay: { to: '/$studio/$game/events', search: { tab: 'failed' } },
    override_import: { to: '/$studio/$game/players', search: {} },
    training: { to: '/$studio/$game/predictions', search: {} },
    funnel: { to: '/$studio/$game/analysis', search: { tab: 'funnel' } },
  }[job.kind];
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link {...props} to={target.to} params={{ studio, game }} search={target.search as never} />
      )}
    >
      {titleOf(job)}
    </Anchor>
  );
}

function State({ job }: { job: Job }) {
  const { state, failure, done, total } = job;
  if (state === 'done') return outcomeOf(job);
  if (state === 'failed') return <Text size="sm">Failed. {failure}</Text>;
  if (state === 'cancelled') return 'Cancelled';
  return (
    <Group gap="xs" wrap="nowrap">
      <Stack gap={2} miw={160}>
        <Progress
          value={total === null ? 0 : (100 * done) / Math.max(1, total)}
          aria-label={`Progress: ${titleOf(job)}`}
        />
        <Text size="xs" c="dimmed">
          {progressOf(job)}
        </Text>
      </Stack>
      <CancelJob job={job} />
    </Group>
  );
}
