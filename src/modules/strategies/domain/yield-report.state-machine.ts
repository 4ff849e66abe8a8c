import { StateMachine } from '../../../common/state-machine.js';

/**
 * `rate`: sets the day's rate. `fold`: the day was published, the next value makes up for it. `waiting`: beyond the
 * tolerance, changes nothing until an operator decides. `ignored`: the day was suspended and does not grow.
 * `rejected`: an operator decided against it.
 */
export const YIELD_REPORT_STATES = ['rate', 'fold', 'waiting', 'ignored', 'rejected'] as const;
export type YieldReportState = (typeof YIELD_REPORT_STATES)[number];
export type YieldReportVerb = 'accept' | 'reject';

/** What an operator decides. An accepted report is then taken like one within the tolerance. */
export const YIELD_REPORT_DECISIONS = new StateMachine<YieldReportState | 'accepted', YieldReportVerb>([
  { verb: 'accept', from: ['waiting'], to: 'accepted' },
  { verb: 'reject', from: ['waiting'], to: 'rejected' },
]);
