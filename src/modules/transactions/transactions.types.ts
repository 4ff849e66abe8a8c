import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/domain/mined.js';
import type { TransactionType, TransactionVerb } from './domain/transaction.state-machine.js';
import type { Transaction } from './entities/transaction.entity.js';

export type TransactionDetails = Readonly<Transaction>;

interface OnChain extends Mined {
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  readonly txHash: string | null;
  /** Whether the transfer is now on its way on chain or at the custody provider. */
  readonly submitted: boolean;
}

/** One step of a transaction record, with the values of the record after it. */
export interface TransactionUpdate {
  readonly userId: string;
  readonly type: TransactionType;
  /** The record that caused the transaction. A reference has at most one transaction of each type. */
  readonly reference: { readonly type: string; readonly id: string };
  readonly verb: TransactionVerb;
  /** Domain time. */
  readonly at: Date;
  /** In `currency`; a loss is negative. */
  readonly amount: Money;
  readonly currency: string;
  /** Effect of the record on the available USDC balance, this step included. */
  readonly balanceChange: Money;
  readonly description: string;
  /** Description of this step in the timeline. */
  readonly stepDescription: string;
  readonly strategy?: { readonly id: string; readonly name: string };
  readonly chain?: OnChain;
}
