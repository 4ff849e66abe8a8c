import { Choice, Count, Instant, MoneyText, Nested, Text, Uuid } from '../../http/openapi/fields.js';
import type { Money } from '../../kernel/money.js';
import {
  ABOUT,
  GAS_FEE,
  SOURCE,
  SOURCES,
  WithdrawalLimitsView,
  withdrawalLimitsView,
} from './admin-withdrawal.views.js';
import type { QueueTotals } from './admin-withdrawals.queries.js';
import type { QueuedWithdrawal } from './admin-withdrawals.rows.js';
import { CHAIN_CHECKS } from './payout.js';
import { CHECKSUMS } from './withdrawal-address.js';
import { WITHDRAWAL_STATUSES } from './withdrawal.transitions.js';

// What an operator sees of the queue: beside each withdrawal all that a decision needs.

export class UserBalanceView {
  @MoneyText()
  available!: string;
  @MoneyText()
  invested!: string;
}

export class ComplianceView {
  @Text({ example: 'not_checked' })
  kycStatus!: string;
  @Text({ example: 'not_checked' })
  amlChecks!: string;
  @Text({ example: 'not_checked' })
  sanctionsList!: string;
  @Text({ example: 'not_checked' })
  riskLevel!: string;
}

export class QueuedWithdrawalView {
  @Uuid()
  id!: string;
  @Uuid()
  userId!: string;
  @Text({ example: 'ann@example.org' })
  userEmail!: string;
  @Text({ nullable: true, description: ABOUT.wallet })
  walletAddress!: string | null;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  destinationAddress!: string;
  @Choice(CHECKSUMS, { description: ABOUT.checksum })
  addressChecksum!: string;
  @Choice(SOURCES, { description: ABOUT.source })
  source!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText({ example: '0.00', description: ABOUT.gas })
  gasFee!: string;
  @Text({ nullable: true })
  txHash!: string | null;
  @Choice(CHAIN_CHECKS, { nullable: true, description: ABOUT.chain })
  chainCheck!: string | null;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true })
  approvedAt!: string | null;
  @Text({ nullable: true, example: 'admin@example.com' })
  approvedBy!: string | null;
  @Instant({ nullable: true, description: ABOUT.executed })
  executedAt!: string | null;
  @Instant({ nullable: true })
  completedAt!: string | null;
  @Text({ nullable: true, description: ABOUT.note })
  note!: string | null;
  @Nested(() => WithdrawalLimitsView)
  limits!: WithdrawalLimitsView;
  @Nested(() => UserBalanceView)
  userBalance!: UserBalanceView;
  @Nested(() => ComplianceView)
  complianceChecks!: ComplianceView;
}

export function queuedWithdrawalView(row: QueuedWithdrawal, dailyLimit: Money): QueuedWithdrawalView {
  const { kycStatus, amlChecks, sanctionsList, riskLevel } = row.compliance;
  return {
    id: row.id,
    userId: row.userId,
    userEmail: row.userEmail,
    walletAddress: row.walletAddress,
    amount: row.amount.toWire(),
    currency: row.currency,
    destinationAddress: row.toAddress,
    addressChecksum: row.addressChecksum,
    source: SOURCE,
    status: row.status,
    gasFee: GAS_FEE.toWire(),
    txHash: row.txHash,
    chainCheck: row.chainCheck,
    createdAt: row.createdAt.toISOString(),
    approvedAt: row.approvedAt?.toISOString() ?? null,
    approvedBy: row.approvedBy,
    executedAt: row.executedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    note: row.note,
    limits: withdrawalLimitsView(dailyLimit, row.usedToday),
    userBalance: { available: row.available.toWire(), invested: row.invested.toWire() },
    complianceChecks: { kycStatus, amlChecks, sanctionsList, riskLevel },
  };
}

export class QueueSummaryView {
  @Count({ description: 'withdrawals in status pending, on all pages' })
  totalPending!: number;
  @MoneyText({ description: 'their sum' })
  totalPendingValue!: string;
  @Instant({ nullable: true, description: 'when the oldest of them was requested; null when nothing waits' })
  oldestPending!: string | null;
  @Count({
    nullable: true,
    description: 'seconds since they were requested, on average; null when nothing waits',
  })
  averageWaitTime!: number | null;
}

export function queueSummaryView(total: number, totals: QueueTotals): QueueSummaryView {
  return {
    totalPending: total,
    totalPendingValue: totals.amount.toWire(),
    oldestPending: totals.oldest?.toISOString() ?? null,
    averageWaitTime: totals.averageWaitSeconds,
  };
}
