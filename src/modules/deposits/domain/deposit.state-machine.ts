import { HOUR_MS } from '../../../common/durations.js';
import { StateMachine } from '../../../common/state-machine.js';

export const DEPOSIT_STATUSES = ['pending', 'confirming', 'completed', 'failed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];
export type DepositVerb = 'wait' | 'confirm' | 'complete' | 'fail';

/** `wait` leads back from confirming to pending, which happens when a reorganisation removes the block. */
export const depositStates = new StateMachine<DepositStatus, DepositVerb>([
  { verb: 'wait', from: ['pending', 'confirming'], to: 'pending' },
  { verb: 'confirm', from: ['pending', 'confirming'], to: 'confirming' },
  { verb: 'complete', from: ['pending', 'confirming'], to: 'completed' },
  { verb: 'fail', from: ['pending', 'confirming'], to: 'failed' },
]);

/** The state of a deposit on which the effect of a report depends. */
export interface DepositProgress {
  readonly status: DepositStatus;
  readonly confirmations: number;
  /** The chain or the provider has reported success. A reorganisation makes it false while the deposit is open. */
  readonly succeeded: boolean;
  /** Confirmed and held: reports do not change the status, only a release does. */
  readonly held: boolean;
}

/** What a report of the provider or a reading of the chain says about a deposit. */
export interface DepositEvidence {
  /**
   * The provider's reports arrive in any order, so they never lower the confirmations and never revoke success. A reading
   * of the chain shows its present state, which replaces the earlier confirmations and success.
   */
  readonly source: 'provider' | 'chain';
  readonly outcome: 'underway' | 'succeeded' | 'failed';
  readonly confirmations: number;
}

export interface DepositDecision {
  readonly confirmations: number;
  readonly succeeded: boolean;
  /** Null if the deposit is completed, failed or held: its status stays. */
  readonly verb: DepositVerb | null;
}

/** Decides how `evidence` changes the progress of a deposit. */
export function decideDeposit(
  progress: DepositProgress,
  evidence: DepositEvidence,
  requiredConfirmations: number,
): DepositDecision {
  const isOpen = isOpenStatus(progress.status) && !progress.held;
  // Evidence from the chain replaces the earlier progress. Reports of the provider can arrive in any order, so they only add to it.
  const replacesProgress = isOpen && evidence.source === 'chain';
  const confirmations = replacesProgress
    ? evidence.confirmations
    : Math.max(progress.confirmations, evidence.confirmations);
  const reportsSuccess = evidence.outcome === 'succeeded';
  const succeeded = replacesProgress
    ? reportsSuccess
    : progress.succeeded || (reportsSuccess && progress.status !== 'failed');
  const hasEnoughConfirmations = confirmations >= requiredConfirmations;
  return {
    confirmations,
    succeeded,
    verb: isOpen ? verbFor(evidence.outcome, confirmations, succeeded && hasEnoughConfirmations) : null,
  };
}

function verbFor(
  outcome: DepositEvidence['outcome'],
  confirmations: number,
  isComplete: boolean,
): DepositVerb {
  if (outcome === 'failed') return 'fail';
  if (isComplete) return 'complete';
  return confirmations > 0 ? 'confirm' : 'wait';
}

interface OpenFields {
  readonly status: DepositStatus;
  readonly holdReason: string | null;
}

/** True while a report can still change the status: neither completed, failed nor held. */
export function isOpenDeposit({ status, holdReason }: OpenFields): boolean {
  return isOpenStatus(status) && holdReason === null;
}

function isOpenStatus(status: DepositStatus): boolean {
  return status === 'pending' || status === 'confirming';
}

export const VANISHED_AFTER_HOURS = 24;

/** True if the deposit is open and its `seenAt` is at least `VANISHED_AFTER_HOURS` before `at`. */
export function hasVanished(deposit: OpenFields & { readonly seenAt: Date }, at: Date): boolean {
  return isOpenDeposit(deposit) && at.getTime() - deposit.seenAt.getTime() >= VANISHED_AFTER_HOURS * HOUR_MS;
}
