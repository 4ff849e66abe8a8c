import { StateMachine } from '../../../../common/state-machine.js';

export const BREAK_STATUSES = ['open', 'assigned', 'proposed', 'resolved'] as const;
export type BreakStatus = (typeof BREAK_STATUSES)[number];

export const BREAK_VERBS = ['assign', 'propose', 'confirm', 'reopen'] as const;
export type BreakVerb = (typeof BREAK_VERBS)[number];

/** A break is assigned to an admin before a resolution is proposed, and another admin confirms the resolution. */
export const BREAK_STATES = new StateMachine<BreakStatus, BreakVerb>([
  { verb: 'assign', from: ['open', 'assigned'], to: 'assigned' },
  { verb: 'propose', from: ['assigned'], to: 'proposed' },
  { verb: 'confirm', from: ['proposed'], to: 'resolved' },
  { verb: 'reopen', from: ['assigned', 'proposed', 'resolved'], to: 'open' },
]);

/** A side was corrected (`here` the platform, `there` the provider), only the times differed, or the difference is accepted. */
export const RESOLUTIONS = ['corrected-here', 'corrected-there', 'timing', 'accepted'] as const;
