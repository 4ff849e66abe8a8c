import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import { SOURCES } from '../withdrawals.types.js';
import { ABOUT, AdminWithdrawalResponse } from './admin-withdrawal.response.js';
import { ComplianceResponse } from '../../users/dto/profile.response.js';
import { CHAIN_CHECK_REASONS, CHAIN_CHECKS } from '../../blockchain/domain/chain-check.js';
import { CHECKSUMS } from '../../addresses/domain/destination.js';
import { WITHDRAWAL_ACTIONS, WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

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
  @MoneyText({ description: 'amount − gasFee: the amount that arrives' })
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

export class AddressBookResponse {
  @Flag({ description: "the user's address book has destinationAddress, in any letters" })
  known!: boolean;
  @Instant({ nullable: true, description: 'when the user added it' })
  since!: string | null;
  @Count({ description: 'completed withdrawals of the user to it' })
  paidCount!: number;
}

export class LifetimeLimitsResponse {
  @MoneyText({ example: '50000.00' })
  dailyLimit!: string;
  @MoneyText({
    description:
      'sum of the withdrawals that the user requested in the last 24 hours, except rejected and released ones',
  })
  usedToday!: string;
  @MoneyText()
  remainingToday!: string;
  @MoneyText({ description: 'sum of all completed withdrawals of the user' })
  lifetimeWithdrawn!: string;
}

export class WithdrawalStepResponse {
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @Choice(WITHDRAWAL_ACTIONS, { description: 'the action that led to the status' })
  action!: string;
  @Instant()
  at!: string;
  @Text({ description: 'e-mail address of the user or admin, or the name of the provider' })
  by!: string;
  @Text({
    nullable: true,
    description: 'a note, or the reason of a rejection or failure',
  })
  note!: string | null;
}

export class AdminWithdrawalDetailResponse extends AdminWithdrawalResponse {
  @Nested(() => WithdrawalOwnerResponse)
  user!: WithdrawalOwnerResponse;
  @Nested(() => WithdrawalTermsResponse)
  withdrawal!: WithdrawalTermsResponse;
  @Nested(() => AddressBookResponse)
  addressBook!: AddressBookResponse;
  @Nested(() => LifetimeLimitsResponse)
  limits!: LifetimeLimitsResponse;
  @Nested(() => ComplianceResponse)
  complianceChecks!: ComplianceResponse;
  @ListOf(() => WithdrawalStepResponse, {
    description: 'all actions on the withdrawal, oldest first',
  })
  lifecycle!: WithdrawalStepResponse[];
}
