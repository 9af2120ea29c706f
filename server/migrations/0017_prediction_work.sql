-- Which games are due for training and grading. A training that changed nothing is not kept, and a week in which there was nobody to
-- grade leaves no grade: without this table both would be tried again every hour.
create table prediction_work (
  game_id integer primary key references games (id),
  -- the last day that a training, or a grading, has looked at
  trained_day date,
  graded_day date,
  -- of the last attempt, if it failed
  failed_at timestamptz,
  failure text
);
comment on table prediction_work is
  'How far the training and grading of a game is, and why it failed last. A game without a row has not been looked at yet.';

insert into prediction_work (game_id, trained_day, graded_day)
select m.game_id, max(m.trained_day), (select max(r.day) from prediction_grades r where r.game_id = m.game_id)
from prediction_models m
group by m.game_id;
