import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { DepositsService } from '../deposits/deposits.service.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import type { JsonValue } from '../proofs/domain/canonical-json.js';
import { signReceipt, type SignedReceipt } from '../proofs/domain/receipt-signature.js';
import type { SigningKey } from '../proofs/domain/signing-key.js';
import { LogKeysService } from '../proofs/log-keys.service.js';
import { LogLeavesService } from '../proofs/log-leaves.service.js';
import { LogOpeningService } from '../proofs/log-opening.service.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { investmentMembers, navRange } from './domain/investment-receipt.js';
import {
  CHANGING_RETRY_SECONDS,
  READ_ATTEMPTS,
  RECEIPT_VERSION,
  type ReceiptKind,
} from './receipts.constants.js';
import { ReceiptsRepository } from './receipts.repository.js';
import type { PostedTransaction } from './receipts.types.js';

type Members = Record<string, JsonValue>;

/** Signs receipts with the key of the transparency log. A receipt names the leaves of its transactions. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly deposits: DepositsService,
    private readonly portfolio: PortfolioService,
    private readonly withdrawals: WithdrawalsService,
    private readonly keys: LogKeysService,
    private readonly leaves: LogLeavesService,
    private readonly opening: LogOpeningService,
    private readonly repository: ReceiptsRepository,
  ) {}

  /** Throws INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's investment, PROOF_PENDING. */
  async signInvestmentReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { record: investment, posted } = await this.readUnchanged('investment', id, () =>
      this.portfolio.getInvestment(userId, id),
    );
    // Published values and legs that have ended do not change.
    const range = navRange(investment);
    const navs = range ? await this.repository.findNavs(investment.strategyId, range) : [];
    const earlier = investment.movedFrom ? await this.repository.findLegs(investment.movedFrom) : [];
    return this.sign(investmentMembers(investment, navs, earlier, this.clock.now(), this.config), posted);
  }

  /** Throws DEPOSIT_NOT_FOUND, PERMISSION_DENIED for another user's deposit, PROOF_PENDING. */
  async signDepositReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { record, posted } = await this.readUnchanged('deposit', id, () =>
      this.deposits.getDeposit(id, userId),
    );
    const { txHash, currency, amount, confirmations, credited } = record;
    const creditedAt = posted.find(({ type }) => type === 'deposit')?.effectiveAt.toISOString() ?? null;
    const amounts = { amount: amount.toExact(), currency, credited: credited?.toExact() ?? null };
    return this.sign({ ...recordOf('deposit', id), txHash, ...amounts, confirmations, creditedAt }, posted);
  }

  /** Throws WITHDRAWAL_NOT_FOUND, PERMISSION_DENIED for another user's withdrawal, PROOF_PENDING. */
  async signWithdrawalReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { record, posted } = await this.readUnchanged('withdrawal', id, () =>
      this.withdrawals.getWithdrawal(id, userId),
    );
    const { amount, currency, status, toAddress, txHash } = record;
    const amounts = { status, amount: amount.toWire(), currency };
    return this.sign({ ...recordOf('withdrawal', id), ...amounts, toAddress, txHash }, posted);
  }

  /**
   * Reads a record between two readings of the version of its row, and again if it has changed, so that the record and its
   * ledger transactions are of one state. Throws PROOF_PENDING if it keeps changing.
   */
  private async readUnchanged<Result>(
    kind: ReceiptKind,
    id: string,
    read: () => Promise<Result>,
  ): Promise<{ record: Result; posted: readonly PostedTransaction[] }> {
    let before = await this.repository.findVersion(kind, id);
    for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
      const record = await read();
      const { version, posted } = await this.repository.findPosted(kind, id);
      if (version === before) return { record, posted };
      before = version;
    }
    return fail('PROOF_PENDING', undefined, { retryAfterSeconds: CHANGING_RETRY_SECONDS });
  }

  private async sign(members: Members, posted: readonly PostedTransaction[]): Promise<SignedReceipt> {
    const leaves = await this.leaves.getLeavesOf(posted.map(({ id }) => id));
    const transactions = leaves.map(({ transactionId, leafIndex, leafHash }) => ({
      ...{ id: transactionId, leafIndex },
      leaf: leafHash.toString('base64'),
    }));
    await this.opening.openLog(); // records the key, so that it is published before it signs
    const [key] = this.keys.signingKeys as readonly [SigningKey, ...SigningKey[]];
    return signReceipt({ v: RECEIPT_VERSION, ...members, transactions }, key);
  }
}

function recordOf(kind: ReceiptKind, id: string): Members {
  return { kind, id };
}
