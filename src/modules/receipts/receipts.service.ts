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
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { investmentMembers, navRange } from './domain/investment-receipt.js';
import { RECEIPT_VERSION, type ReceiptKind } from './receipts.constants.js';
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
    private readonly repository: ReceiptsRepository,
  ) {}

  /** Throws INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's investment, PROOF_PENDING. */
  async signInvestmentReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const investment = await this.portfolio.detail(userId, id);
    const range = navRange(investment);
    const posted = await this.repository.findPostedTransactions('investment', id);
    const navs = range ? await this.repository.findNavs(investment.strategyId, range) : [];
    const earlier = investment.movedFrom ? await this.repository.findLegs(investment.movedFrom) : [];
    return this.sign(investmentMembers(investment, navs, earlier, this.clock.now(), this.config), posted);
  }

  /** Throws DEPOSIT_NOT_FOUND, PERMISSION_DENIED for another user's deposit, PROOF_PENDING. */
  async signDepositReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { txHash, currency, amount, confirmations, credited } = await this.deposits.getDeposit(id, userId);
    const posted = await this.repository.findPostedTransactions('deposit', id);
    const creditedAt = posted.find(({ type }) => type === 'deposit')?.effectiveAt.toISOString() ?? null;
    const amounts = { amount: amount.toExact(), currency, credited: credited?.toExact() ?? null };
    return this.sign({ ...recordOf('deposit', id), txHash, ...amounts, confirmations, creditedAt }, posted);
  }

  /** Throws WITHDRAWAL_NOT_FOUND, PERMISSION_DENIED for another user's withdrawal, PROOF_PENDING. */
  async signWithdrawalReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { amount, currency, status, toAddress, txHash } = await this.withdrawals.getWithdrawal(id, userId);
    const posted = await this.repository.findPostedTransactions('withdrawal', id);
    const record = { ...recordOf('withdrawal', id), status, amount: amount.toWire(), currency };
    return this.sign({ ...record, toAddress, txHash }, posted);
  }

  private async sign(members: Members, posted: readonly PostedTransaction[]): Promise<SignedReceipt> {
    const leaves = await this.leaves.findLeavesOf(posted.map(({ id }) => id));
    if (leaves.length < posted.length)
      fail('PROOF_PENDING', undefined, { retryAfterSeconds: this.config.LOG_SEAL_SECONDS });
    const transactions = leaves.map(({ transactionId, leafIndex, leafHash }) => ({
      ...{ id: transactionId, leafIndex },
      leaf: leafHash.toString('base64'),
    }));
    const [key] = this.keys.signingKeys as readonly [SigningKey, ...SigningKey[]];
    return signReceipt({ v: RECEIPT_VERSION, ...members, transactions }, key);
  }
}

function recordOf(kind: ReceiptKind, id: string): Members {
  return { kind, id };
}
