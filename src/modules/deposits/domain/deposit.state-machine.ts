import { StateMachine } from '../../../common/state-machine.js';

export const DEPOSIT_STATUSES = ['pending', 'confirming', 'completed', 'failed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];
export type DepositVerb = 'wait' | 'confirm' | 'complete' | 'fail';

/** States never go back, save `wait`: a reorganisation before completion. */
export const depositStates = new StateMachine<DepositStatus, DepositVerb>([
  { verb: 'wait', from: ['pending', 'confirming'], to: 'pending' },
  { verb: 'confirm', from: ['pending', 'confirming'], to: 'confirming' },
  { verb: 'complete', from: ['pending', 'confirming'], to: 'completed' },
  { verb: 'fail', from: ['pending', 'confirming'], to: 'failed' },
]);

/** How far a deposit has come. */
export interface Progress {
  readonly status: DepositStatus;
  readonly confirmations: number;
  /** Its authority has said that the transfer is good. */
  readonly succeeded: boolean;
  /** Arrived for good, but in suspense: nothing but its release moves it. */
  readonly held: boolean;
}

/** What somebody who should know says of it. */
export interface Sighting {
  /**
   * The provider's words come in any order: they add up, and nothing that was said is taken back. The chain is
   * read: what it shows now is what is so.
   */
  readonly by: 'provider' | 'chain';
  readonly outcome: 'underway' | 'succeeded' | 'failed';
  readonly confirmations: number;
}

/** What follows from a sighting; no verb: the state stays. */
export interface Judgement {
  readonly confirmations: number;
  readonly succeeded: boolean;
  readonly verb: DepositVerb | null;
}

export function isOpen({ status, held }: Pick<Progress, 'status' | 'held'>): boolean {
  return (status === 'pending' || status === 'confirming') && !held;
}

export function judge(progress: Progress, sighting: Sighting, required: number): Judgement {
  const open = isOpen(progress);
  const replaces = open && sighting.by === 'chain';
  const confirmations = replaces
    ? sighting.confirmations
    : Math.max(progress.confirmations, sighting.confirmations);
  const good = sighting.outcome === 'succeeded';
  const succeeded = replaces ? good : progress.succeeded || (good && progress.status !== 'failed');
  return {
    confirmations,
    succeeded,
    verb: open ? verbOf(sighting, confirmations, succeeded, required) : null,
  };
}

function verbOf(
  { outcome }: Sighting,
  confirmations: number,
  succeeded: boolean,
  required: number,
): DepositVerb {
  if (outcome === 'failed') return 'fail';
  if (succeeded && confirmations >= required) return 'complete';
  return confirmations > 0 ? 'confirm' : 'wait';
}
