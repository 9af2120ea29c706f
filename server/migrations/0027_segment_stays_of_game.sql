-- Stays end with the retention of their game. The table is new in this release, so it has next to no rows to fill in.
alter table segment_stays add column game_id integer;
update segment_stays s set game_id = p.game_id from players p where p.id = s.player_id;
alter table segment_stays alter column game_id set not null;
comment on table segment_stays is
  'Which players were in segments with two thresholds, from when to when. Stays that have ended are kept for as long as the game keeps events, so that the past can be explained.';

comment on table prediction_grades is
  'Day by day: what a model said of a week, or one of its predictions of 28 or 90 days, compared with what happened until that day.';
