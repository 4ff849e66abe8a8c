import { Choice, Instant, ListOf, MoneyText, Nested, Text, Uuid } from '../../../http/openapi/fields.js';
import type { Money } from '../../../common/money.js';
import {
  ABOUT,
  toAdminWithdrawalResponse,
  AdminWithdrawalResponse,
  GAS_FEE,
  SOURCE,
  SOURCES,
  toWithdrawalLimitsResponse,
} from './admin-withdrawal.response.js';
import type { WithdrawalDetail, WithdrawalStep } from '../withdrawals.types.js';
import { toComplianceResponse } from '../../users/users.mapper.js';
import { ComplianceResponse } from '../../users/dto/compliance.response.js';
import { CHAIN_CHECK_REASONS, CHAIN_CHECKS } from '../../blockchain/domain/chain-check.js';
import { CHECKSUMS } from '../domain/destination.js';
import { WITHDRAWAL_ACTIONS, WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

// One withdrawal with everything around it.

export class WithdrawalOwnerResponse {
  @Uuid()
  id!: string;
  @Text({ example: 'ann@example.org' })
  email!: string;
  @Text({ nullable: true, description: ABOUT.wallet })
  walletAddress!: string | null;
  @Text({ example: 'not_checked' })
  verificationStatus!: string;
  @Instant()
  accountCreated!: string;
}

export class WithdrawalTermsResponse {
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
  @MoneyText({ example: '0.00', description: ABOUT.gas })
  gasFee!: string;
  @MoneyText({ description: 'amount − gasFee: what arrives' })
  netAmount!: string;
  @Text({ nullable: true })
  txHash!: string | null;
  @Choice(CHAIN_CHECKS, { nullable: true, description: ABOUT.chain })
  chainCheck!: string | null;
  @Choice(CHAIN_CHECK_REASONS, { nullable: true, description: ABOUT.chainReason })
  chainCheckReason!: string | null;
  @Text({ nullable: true, description: ABOUT.note })
  note!: string | null;
}

export class LifetimeLimitsResponse {
  @MoneyText({ example: '50000.00' })
  dailyLimit!: string;
  @MoneyText({
    description: 'by the user in the last 24 hours; what was rejected or released does not count',
  })
  usedToday!: string;
  @MoneyText()
  remainingToday!: string;
  @MoneyText({ description: 'all that was ever paid out to the user' })
  lifetimeWithdrawn!: string;
}

export class WithdrawalStepResponse {
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @Choice(WITHDRAWAL_ACTIONS, { description: 'what led to the status' })
  action!: string;
  @Instant()
  at!: string;
  @Text({ description: 'e-mail address of the user or admin, or the name of the provider' })
  by!: string;
  @Text({
    nullable: true,
    description: 'what was said to it: a note, the reason of a rejection or of a failure',
  })
  note!: string | null;
}

/** What the list shows, and more. */
export class AdminWithdrawalDetailResponse extends AdminWithdrawalResponse {
  @Nested(() => WithdrawalOwnerResponse)
  user!: WithdrawalOwnerResponse;
  @Nested(() => WithdrawalTermsResponse)
  withdrawal!: WithdrawalTermsResponse;
  @Nested(() => LifetimeLimitsResponse)
  limits!: LifetimeLimitsResponse;
  @Nested(() => ComplianceResponse)
  complianceChecks!: ComplianceResponse;
  @ListOf(() => WithdrawalStepResponse, {
    description: 'everything that was done with it, the first one first',
  })
  lifecycle!: WithdrawalStepResponse[];
}

export function toAdminWithdrawalDetailResponse(
  row: WithdrawalDetail,
  dailyLimit: Money,
): AdminWithdrawalDetailResponse {
  const { usedToday, remainingToday } = toWithdrawalLimitsResponse(dailyLimit, row.usedToday);
  return {
    ...toAdminWithdrawalResponse(row),
    user: {
      id: row.userId,
      email: row.userEmail,
      walletAddress: row.walletAddress,
      verificationStatus: row.compliance.kycStatus,
      accountCreated: row.accountCreatedAt.toISOString(),
    },
    withdrawal: toTermsResponse(row),
    limits: {
      dailyLimit: dailyLimit.toWire(),
      usedToday,
      remainingToday,
      lifetimeWithdrawn: row.lifetimeWithdrawn.toWire(),
    },
    complianceChecks: toComplianceResponse(row.compliance),
    lifecycle: row.lifecycle.map(toStepResponse),
  };
}

function toTermsResponse(row: WithdrawalDetail): WithdrawalTermsResponse {
  return {
    amount: row.amount.toWire(),
    currency: row.currency,
    destinationAddress: row.toAddress,
    addressChecksum: row.addressChecksum,
    source: SOURCE,
    gasFee: GAS_FEE.toWire(),
    netAmount: row.amount.minus(GAS_FEE).toWire(),
    txHash: row.txHash,
    chainCheck: row.chainCheck,
    chainCheckReason: row.chainCheckReason,
    note: row.note,
  };
}

function toStepResponse(step: WithdrawalStep): WithdrawalStepResponse {
  const { status, action, at, by, note } = step;
  return { status, action, at: at.toISOString(), by, note };
}
