-- A back-test is a job.

alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in ('dry_run', 'back_test', 'replay', 'override_import', 'training', 'funnel'));
comment on table jobs is
  'A dry run, back-test, replay, import or training that goes on after the request that started it. The node that was asked does the work; every node reads here how far it is, and what came of it.';
