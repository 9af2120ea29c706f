/**
 * The nights of a game, as the service works on them: grading first, then training, with the real functions and without a database. `predict` has these functions,
 * so that a test may give those of the sources. `originAt` gives the cells of a day, with everything that happens after it: what is not known yet on a night is not
 * looked at, because outcomes count once their time is over.
 */
export function createNights(predict, originAt, currency) {
  const states = [];
  const inForceOn = (day) => states.findLast((state) => state.fromDay <= day);

  function grade(day, current) {
    if (current === undefined) return undefined;
    const { artefact, distrusted } = current;
    const former = inForceOn(day - predict.WEEK_DAYS)?.artefact;
    const [grades, weekAgo] = [[], []];
    let [week, formerWeek] = [];
    for (const { days, names } of predict.HORIZONS) {
      const origin = originAt(day - days);
      if (origin === undefined) continue;
      if (days === predict.WEEK_DAYS) {
        week = predict.gradeWeekOfRevenue(artefact, origin);
        formerWeek = former && predict.gradeWeekOfRevenue(former, origin);
      }
      const previous = days === predict.WEEK_DAYS ? originAt(day - 2 * days) : undefined;
      grades.push(...predict.gradePredictions(artefact, names, origin, { distrusted, previous, week }));
      if (former === undefined) continue;
      const isMissing = (name) => artefact.models[name.split('.')[0]].state !== 'ready';
      const again = names.filter((name) => distrusted.includes(name) || isMissing(name));
      weekAgo.push(
        ...predict.gradePredictions(former, again, origin, { distrusted, previous, week: formerWeek }),
      );
    }
    return predict.distrustedAfterGrading(distrusted, grades, weekAgo);
  }

  return {
    /** The work after the end of a day. What it leaves is in force on the next day. */
    work(day) {
      const before = states.at(-1);
      const graded = grade(day, before);
      const kept = before && { ...before, distrusted: graded };
      const origins = ORIGIN_WEEKS.map((weeks) => originAt(day - 7 * weeks)).filter(
        (origin) => origin !== undefined && origin.activity.length > 0,
      );
      const result = predict.train({ day, currency, origins }, day, kept?.artefact ?? null);
      const artefact = result.isPromoted ? result.artefact : kept.artefact;
      const state = { artefact, distrusted: graded ?? [] };
      states.push({ ...state, fromDay: day + 1 });
      return { graded: graded ?? [], ...state, report: result.report };
    },
  };
}

/** Those of `training-data-reader.ts`. */
const ORIGIN_WEEKS = [13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
