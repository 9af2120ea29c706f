import { unreadSentence } from '../../decide/compile/experiment-readers.js';
import type { Report } from './report-types.js';
import { withoutPace } from './verdict.js';

/**
 * A stored report as it is shown while no rule of the published version reads its running experiment. Without players that is the
 * reason why there are none, whatever the report says. Rules can have been removed or added since it was made.
 */
export function unreadReport(report: Report, experimentId: string): Report {
  const isStopping = !hasPlayers(report);
  const sentence = unreadSentence(experimentId, { hasPlayers: !isStopping });
  const gates = report.gates.filter(({ gate }) => !isStopping || gate !== 'too_few');
  return {
    ...report,
    gates: [{ gate: 'not_read', isStopping, sentence }, ...gates],
    ...(isStopping && {
      verdict: sentence,
      wouldChange: [`A rule that reads experiment("${experimentId}"): of a flag, segment, value or offer.`],
    }),
  };
}

export function hasPlayers(report: Report | null): boolean {
  return report?.arms.some(({ players }) => players > 0) === true;
}

/** A stored report as it is shown once its run has ended: without what might have come. */
export function finalReport(report: Report): Report {
  return {
    ...report,
    verdict: withoutPace(report.verdict),
    wouldChange: [],
    metrics: report.metrics.map((metric) => ({
      ...metric,
      arms: metric.arms.map(({ comparison, ...arm }) => ({
        ...arm,
        comparison: comparison && {
          ...comparison,
          daysUntilProven: null,
          sentence: withoutPace(comparison.sentence),
        },
      })),
    })),
  };
}
