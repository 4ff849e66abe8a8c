import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { DepositsService } from '../../funds/deposits/deposits.service.js';
import { PortfolioService } from '../../investing/investments/portfolio.service.js';
import type { JsonValue } from '../../../common/canonical-json.js';
import type { SignedReceipt } from '../proofs/domain/signing-key.js';
import { LogKeysService } from '../proofs/log-keys.service.js';
import { LogProofsService } from '../proofs/log-proofs.service.js';
import type { Withdrawal } from '../../funds/withdrawals/entities/withdrawal.entity.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import { investmentMembers, navRange } from './domain/investment-receipt.js';
import { type PostedTransaction, type ReceiptKind, ReceiptsRepository } from './receipts.repository.js';

/** Version of the members and formats of receipts. */
const RECEIPT_VERSION = 1;
/** Attempts to read a record that another transaction changes meanwhile, including the first one. */
const MAX_READ_ATTEMPTS = 3;
/** `Retry-After` of the receipt of a record that keeps changing. */
const CHANGING_RETRY_SECONDS = 1;

type Members = Record<string, JsonValue>;

/** What the chain showed about the payment of a withdrawal when it was last asked, at `asOf`; empty if it was never asked. */
function chainCheckMember({ chainCheck, chainCheckReason: reason, chainCheckedAt }: Withdrawal): Members {
  if (chainCheck === null || chainCheckedAt === null) return {};
  return { chainCheck: { verdict: chainCheck, reason, asOf: chainCheckedAt.toISOString() } };
}

/** Signs receipts with the key of the transparency log. A receipt names its transactions with the indexes and hashes of their leaves. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly deposits: DepositsService,
    private readonly portfolio: PortfolioService,
    private readonly withdrawals: WithdrawalsService,
    private readonly keys: LogKeysService,
    private readonly proofs: LogProofsService,
    private readonly repository: ReceiptsRepository,
  ) {}

  /** Throws INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's investment, PROOF_PENDING. */
  async signInvestmentReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { record: investment, posted } = await this.readUnchanged('investment', id, () =>
      this.portfolio.getInvestment(userId, id),
    );
    // These reads need no comparison of versions (see `readUnchanged`): published values and ended legs do not change.
    const range = navRange(investment);
    const navs = range ? await this.repository.findNavs(investment.strategyId, range) : [];
    const earlierLegs = investment.movedFrom
      ? await this.repository.findEarlierLegs(investment.movedFrom)
      : [];
    return this.sign(investmentMembers(investment, navs, earlierLegs, this.clock.now(), this.config), posted);
  }

  /** Throws DEPOSIT_NOT_FOUND, PERMISSION_DENIED for another user's deposit, PROOF_PENDING. */
  async signDepositReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { record, posted } = await this.readUnchanged('deposit', id, () =>
      this.deposits.getDeposit(id, userId),
    );
    const { txHash, currency, amount, confirmations, credited } = record;
    const creditedAt = posted.find(({ type }) => type === 'deposit')?.effectiveAt.toISOString() ?? null;
    const members = {
      kind: 'deposit',
      id,
      txHash,
      amount: amount.toExact(),
      currency,
      credited: credited?.toExact() ?? null,
      confirmations,
      creditedAt,
    };
    return this.sign(members, posted);
  }

  /** Throws WITHDRAWAL_NOT_FOUND, PERMISSION_DENIED for another user's withdrawal, PROOF_PENDING. */
  async signWithdrawalReceipt(userId: string, id: string): Promise<SignedReceipt> {
    const { record, posted } = await this.readUnchanged('withdrawal', id, () =>
      this.withdrawals.getWithdrawal(id, userId),
    );
    const { amount, currency, status, toAddress, txHash } = record;
    const members = { kind: 'withdrawal', id, status, amount: amount.toWire(), currency, toAddress, txHash };
    return this.sign({ ...members, ...chainCheckMember(record) }, posted);
  }

  /**
   * Reads a record together with its ledger transactions: compares the version of its row before and after, and reads again if
   * the row has changed. Throws PROOF_PENDING if it keeps changing.
   */
  private async readUnchanged<Result>(
    kind: ReceiptKind,
    id: string,
    read: () => Promise<Result>,
  ): Promise<{ record: Result; posted: readonly PostedTransaction[] }> {
    let versionBefore = await this.repository.findVersion(kind, id);
    for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
      const record = await read();
      const { version, posted } = await this.repository.getPostedRecord(kind, id);
      if (version === versionBefore) return { record, posted };
      versionBefore = version;
    }
    return throwError('PROOF_PENDING', undefined, { retryAfterSeconds: CHANGING_RETRY_SECONDS });
  }

  private async sign(members: Members, posted: readonly PostedTransaction[]): Promise<SignedReceipt> {
    const leaves = await this.proofs.getLeavesOfTransactions(posted.map(({ id }) => id));
    const transactions = leaves.map(({ transactionId, leafIndex, leafHash }) => ({
      id: transactionId,
      leafIndex,
      leaf: leafHash.toString('base64'), // the hash; the name is part of the receipt's format
    }));
    return this.keys.sign({ v: RECEIPT_VERSION, ...members, transactions });
  }
}
