import { StateMachine } from '../../../../common/state-machine.js';

/**
 * `rate`: sets the rate of the day. `fold`: the value after the day was published already, so the next value makes up for it.
 * `waiting`: beyond a tolerance, without effect until an admin decides. `ignored`: the strategy was suspended on the
 * day, so the rate has no effect; the report's `realisedAmount`, if it has one, is posted. `rejected`: by an admin.
 */
export const YIELD_REPORT_STATES = ['rate', 'fold', 'waiting', 'ignored', 'rejected'] as const;
export type YieldReportState = (typeof YIELD_REPORT_STATES)[number];
export type YieldReportVerb = 'accept' | 'reject';

/** Decisions of admins. `accepted` is not stored: the report is applied and gets the state of its effect (`effectOf`). */
export const YIELD_REPORT_DECISIONS = new StateMachine<YieldReportState | 'accepted', YieldReportVerb>([
  { verb: 'accept', from: ['waiting'], to: 'accepted' },
  { verb: 'reject', from: ['waiting'], to: 'rejected' },
]);
