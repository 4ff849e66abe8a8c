import { HOUR_MS } from '../../../../common/durations.js';
import { StateMachine } from '../../../../common/state-machine.js';

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

interface OpenFields {
  readonly status: DepositStatus;
  readonly holdReason: string | null;
}

/** The state of a deposit on which the effect of a report depends. */
export interface DepositProgress extends OpenFields {
  readonly confirmations: number;
  /** The chain or the provider has reported success. A reorganisation makes it false while the deposit is open. */
  readonly succeeded: boolean;
}

/** What a report of the provider or a reading of the chain says about a deposit. */
export interface DepositEvidence {
  /**
   * The provider's reports arrive in any order: a later one lowers neither the confirmations nor `succeeded`; only `failed` ends the
   * deposit. A reading of the chain shows its present state, which replaces the earlier confirmations and success.
   */
  readonly source: 'provider' | 'chain';
  readonly outcome: 'underway' | 'succeeded' | 'failed';
  readonly confirmations: number;
}

export interface DepositDecision {
  readonly confirmations: number;
  readonly succeeded: boolean;
  /** Null for a completed, failed or held deposit, whose status stays. Only `fail` still changes one that is held below the minimum. */
  readonly verb: DepositVerb | null;
}

/** Decides how `evidence` changes the progress of a deposit. */
export function decideDeposit(
  progress: DepositProgress,
  evidence: DepositEvidence,
  requiredConfirmations: number,
): DepositDecision {
  const isOpen = isOpenDeposit(progress);
  const replacesProgress = isOpen && evidence.source === 'chain';
  const confirmations = replacesProgress
    ? evidence.confirmations
    : Math.max(progress.confirmations, evidence.confirmations);
  const reportsSuccess = evidence.outcome === 'succeeded';
  const succeeded = replacesProgress ? reportsSuccess : progress.succeeded || (reportsSuccess && isOpen);
  const hasEnoughConfirmations = confirmations >= requiredConfirmations;
  if (isOpen) {
    const isComplete = succeeded && hasEnoughConfirmations;
    return { confirmations, succeeded, verb: verbFor(evidence.outcome, confirmations, isComplete) };
  }
  // Nothing of a deposit below the minimum is credited, so it can still fail.
  const isRefuted = progress.holdReason === 'BELOW_MINIMUM' && evidence.outcome === 'failed';
  return { confirmations, succeeded, verb: isRefuted ? 'fail' : null };
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

/** True while a report can still change the status: neither completed, failed nor held. */
export function isOpenDeposit({ status, holdReason }: OpenFields): boolean {
  return (status === 'pending' || status === 'confirming') && holdReason === null;
}

/** After this time a deposit with too few confirmations counts as unconfirmed. Confirmations usually take minutes. */
const UNCONFIRMED_AFTER_MS = HOUR_MS;

/**
 * True if the provider has reported success, which is its final status, and the deposit still waits for confirmations: it has
 * none, or too few for an hour. The provider need not send another report.
 */
export function isUnconfirmed(deposit: DepositProgress & { readonly createdAt: Date }, at: Date): boolean {
  if (!isOpenDeposit(deposit) || !deposit.succeeded) return false;
  const isLate = at.getTime() - deposit.createdAt.getTime() >= UNCONFIRMED_AFTER_MS;
  return deposit.confirmations === 0 || isLate;
}

export const VANISHED_AFTER_HOURS = 24;

/** True if the deposit's `seenAt` is at least `VANISHED_AFTER_HOURS` before `at`. */
export function isLongUnseen({ seenAt }: { readonly seenAt: Date }, at: Date): boolean {
  return at.getTime() - seenAt.getTime() >= VANISHED_AFTER_HOURS * HOUR_MS;
}

/** True if the deposit is open and long unseen. */
export function hasVanished(deposit: OpenFields & { readonly seenAt: Date }, at: Date): boolean {
  return isOpenDeposit(deposit) && isLongUnseen(deposit, at);
}
