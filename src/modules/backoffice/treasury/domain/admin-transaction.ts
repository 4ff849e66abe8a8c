import { failAmount, throwError } from '../../../../common/errors/domain-error.js';
import type { FieldProblem } from '../../../../common/errors/error-details.js';
import { Money } from '../../../../common/money.js';
import { StateMachine } from '../../../../common/state-machine.js';

export const ADMIN_TRANSACTION_TYPES = ['deposit', 'withdrawal', 'transfer', 'reversal'] as const;
export type AdminTransactionType = (typeof ADMIN_TRANSACTION_TYPES)[number];

export type AdminTransactionStatus = 'pending' | 'processing' | 'confirmed' | 'failed';
export type AdminTransactionVerb = 'approve' | 'confirm' | 'reject';

/** One admin requests a transaction, another approves it, and confirming posts it. Confirmed and failed are final. */
export const ADMIN_TRANSACTION_STATES = new StateMachine<AdminTransactionStatus, AdminTransactionVerb>([
  { verb: 'approve', from: ['pending'], to: 'processing' },
  { verb: 'confirm', from: ['processing'], to: 'confirmed' },
  { verb: 'reject', from: ['pending', 'processing'], to: 'failed' },
]);

/** The body of a request for an admin transaction, each field validated on its own. */
export interface AdminTransactionInput {
  readonly type: AdminTransactionType;
  readonly userId?: string | undefined;
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
  readonly withdrawalId?: string | undefined;
  readonly depositId?: string | undefined;
  readonly source?: 'deposit-provider' | 'suspense' | undefined;
}

type Field = 'userId' | 'withdrawalId' | 'depositId' | 'source';
type Presence = 'required' | 'optional' | 'forbidden';

const ALL_FORBIDDEN: Record<Field, Presence> = {
  userId: 'forbidden',
  withdrawalId: 'forbidden',
  depositId: 'forbidden',
  source: 'forbidden',
};
const FIELDS_BY_TYPE: Record<AdminTransactionType, Record<Field, Presence>> = {
  deposit: { ...ALL_FORBIDDEN, userId: 'required', source: 'optional' },
  withdrawal: { ...ALL_FORBIDDEN, userId: 'required', withdrawalId: 'optional' },
  transfer: ALL_FORBIDDEN,
  reversal: { ...ALL_FORBIDDEN, userId: 'optional', withdrawalId: 'optional', depositId: 'optional' },
};

/** Throws MISSING_REQUIRED_FIELD, VALIDATION_ERROR for surplus fields, INVALID_AMOUNT for an amount that is not above zero. */
export function requireValidInput(input: AdminTransactionInput): void {
  const rules = Object.entries(FIELDS_BY_TYPE[input.type]) as [Field, Presence][];
  const isPresent = (field: Field) => (input[field] ?? undefined) !== undefined; // JSON null means absent
  const missing = rules.filter(([field, presence]) => presence === 'required' && !isPresent(field));
  const surplus = rules.filter(([field, presence]) => presence === 'forbidden' && isPresent(field));
  const problems = [
    ...missing.map(([field]) => ({ field, message: `is needed for a ${input.type}` })),
    ...surplus.map(([field]) => ({ field, message: `does not belong to a ${input.type}` })),
    ...problemsOfReversal(input),
  ];
  const isMissing = missing.length > 0 || (input.type === 'reversal' && recordsOf(input).length === 0);
  if (problems.length > 0) throwError(isMissing ? 'MISSING_REQUIRED_FIELD' : 'VALIDATION_ERROR', problems);
  if (!Money.of(input.amount).isPositive()) failAmount('must be above zero');
}

function problemsOfReversal(input: AdminTransactionInput): FieldProblem[] {
  if (input.type !== 'reversal' || recordsOf(input).length === 1) return [];
  return [{ field: 'withdrawalId', message: 'a reversal needs either withdrawalId or depositId' }];
}

function recordsOf({ withdrawalId, depositId }: AdminTransactionInput): string[] {
  return [withdrawalId, depositId].filter((id) => typeof id === 'string');
}

export const TRANSACTION_REQUEST_STATUSES = ['pending', 'completed', 'rejected'] as const;
export type TransactionRequestStatus = (typeof TRANSACTION_REQUEST_STATUSES)[number];
export type TransactionRequestVerb = 'assign' | 'complete' | 'reject';

/** `assign` changes only the assignee. No route rejects a request: rejecting a transfer also rejects its pending request. */
export const TRANSACTION_REQUEST_STATES = new StateMachine<TransactionRequestStatus, TransactionRequestVerb>([
  { verb: 'assign', from: ['pending'], to: 'pending' },
  { verb: 'complete', from: ['pending'], to: 'completed' },
  { verb: 'reject', from: ['pending'], to: 'rejected' },
]);
