import { MICRO_SCALE, type Money } from '../../../common/money.js';
import type { PlatformEvent } from '../../../events/events.types.js';
import type {
  ChainViewStatus,
  ChainViewType,
  TransactionType,
} from '../../portfolio/transactions/domain/transaction-kinds.js';
import type { Mined } from '../../providers/chain/chain.client.js';
import type { AdminTransactionType } from './domain/admin-transaction.js';
import type { StrategyFlow, TransferPurpose } from './domain/transfer-plan.js';
import type { AdminTransaction, TransactionRequest } from './entities/treasury.entity.js';

/** A row of the admins' transaction list: a user's transaction, or one that an admin requested. */
export interface ListedTransaction {
  readonly id: string;
  /** Null for transfers between the providers. */
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly type: ChainViewType;
  readonly amount: Money;
  readonly currency: string;
  readonly status: ChainViewStatus;
  readonly txHash: string | null;
  readonly blockNumber: number | null;
  readonly confirmations: number;
  readonly createdAt: Date;
  /** When the transaction was credited, paid out or booked. */
  readonly confirmedAt: Date | null;
  /** When it appeared on chain or an operator took it; of an admin transaction, when it was approved. */
  readonly processedAt: Date | null;
  /** The type of a user's transaction in the ledger view; `type` is its type in the chain view. */
  readonly kind: TransactionType | 'transfer';
  /** Null for a transaction that admins requested. */
  readonly balanceChange: Money | null;
  readonly description: string;
  /** A user's transaction that was cancelled, which `status` calls failed. */
  readonly cancelled: boolean;
  /** What a user's transaction is about; null for a transaction that admins requested. */
  readonly record: { readonly type: string; readonly id: string } | null;
}

/** Fields that only transactions requested by an admin have. */
export interface AdminPart extends Pick<
  AdminTransaction,
  | 'withdrawalId'
  | 'depositId'
  | 'fromSuspense'
  | 'purpose'
  | 'network'
  | 'strategyId'
  | 'createdBy'
  | 'approvedBy'
  | 'confirmedBy'
  | 'rejectedBy'
  | 'rejectedAt'
  | 'reason'
  | 'chainCheck'
> {
  /** The request to carry out the transfer; null until it is created, and for other types. */
  readonly requestId: string | null;
}

export interface AdminTransactionDetails extends ListedTransaction, Mined {
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  /** Null for transactions that a user started. */
  readonly byAdmins: AdminPart | null;
}

/** The fields of a new admin transaction; those that do not apply to its type are left out. */
export interface NewAdminTransaction {
  readonly type: AdminTransactionType;
  readonly amount: Money;
  readonly description: string;
  readonly userId?: string;
  readonly withdrawalId?: string;
  readonly depositId?: string;
  readonly fromSuspense?: boolean;
  readonly purpose?: TransferPurpose;
  readonly network?: string;
  readonly strategyId?: string | null;
  readonly runId?: string;
}

/** A deposit that a reversal takes back. */
export interface CreditedDeposit {
  readonly userId: string;
  readonly status: string;
  readonly currency: string;
  /** The USDC that are credited and not taken back yet; pending reversals count as taken back. */
  readonly remaining: Money;
}

/** The tokens that a reversal takes back, in the currency of its deposit. */
export interface TokensTakenBack {
  readonly network: string;
  readonly asset: string;
  readonly tokens: Money;
}

/** SQL for the tokens of the deposit `deposit` that correspond to the USDC of its reversal `booked`. */
export const TOKENS_TAKEN_BACK = `trunc(trunc(deposit.amount, ${MICRO_SCALE}) * booked.amount / deposit.credited, ${MICRO_SCALE})`;

/** The columns that a transition writes beside the status, or that a later chain check writes. */
export type AdminTransactionChanges = Partial<
  Pick<
    AdminTransaction,
    | 'approvedAt'
    | 'approvedBy'
    | 'confirmedAt'
    | 'confirmedBy'
    | 'rejectedAt'
    | 'rejectedBy'
    | 'reason'
    | 'txHash'
    | 'chainCheck'
    | 'chainCheckedAt'
    | keyof Mined
  >
>;

/** A transaction request with fields of its transfer. */
export interface TransactionRequestDetails
  extends
    Readonly<TransactionRequest>,
    Readonly<Pick<AdminTransaction, 'amount' | 'currency' | 'strategyId' | 'txHash' | 'chainCheck'>> {
  readonly network: string;
  readonly completedBy: string | null;
}

/** The flows of the strategies that a treasury run has read, and the transfers that it has created. */
export interface TreasuryRunResult {
  readonly id: string;
  readonly at: Date;
  readonly flows: readonly StrategyFlow[];
  readonly transactions: readonly AdminTransactionDetails[];
}

/** Topic `transaction-request`: emitted in the transaction that assigns the request to an admin. */
export interface TransactionRequestEvent extends PlatformEvent {
  readonly name: 'transaction-request.assigned';
  readonly requestId: string;
  /** The admin's e-mail address. */
  readonly assignedTo: string;
}
