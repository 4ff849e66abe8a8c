import { Choice, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../../http/openapi/fields.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

export const HELD_BY_PLATFORM_LIMIT =
  'a pending withdrawal that waits because the withdrawals of all users have reached the limit of the platform; operators cannot approve or take it meanwhile';
export const CANCELLED_BY_USER = 'true if the user cancelled the withdrawal, whose status is then rejected';
export const CANCELLED_AT = 'when the user cancelled the withdrawal; null otherwise';

export class RequestedWithdrawalResponse {
  @Uuid()
  id!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @Flag({ description: HELD_BY_PLATFORM_LIMIT })
  heldByPlatformLimit!: boolean;
  @MoneyText({ description: 'requested amount in USDC; nothing is deducted from it' })
  amount!: string;
  @Choice(['USDC'])
  currency!: string;
}

export class WithdrawalResponse extends RequestedWithdrawalResponse {
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  toAddress!: string;
  @Instant()
  createdAt!: string;
  @Text({ description: 'empty until completed' })
  txHash!: string;
  @Flag({
    description:
      'true while the user can cancel the withdrawal: it is pending, and no operator has taken it and put it back',
  })
  cancellable!: boolean;
  @Flag({ description: CANCELLED_BY_USER })
  cancelledByUser!: boolean;
  @Instant({ nullable: true, description: CANCELLED_AT })
  cancelledAt!: string | null;
  @Text({
    nullable: true,
    description: 'why the payment of a failed withdrawal failed; null in every other status',
  })
  failureReason!: string | null;
  @Flag({
    description:
      'true if the amount is available again, after a rejection, a cancellation, or the release of a failed withdrawal',
  })
  returned!: boolean;
  @Instant({ nullable: true, description: 'when the amount became available again; null unless returned' })
  returnedAt!: string | null;
}

export class WithdrawalListResponse {
  @ListOf(() => WithdrawalResponse)
  requests!: WithdrawalResponse[];
}

export class WithdrawalDetailResponse extends WithdrawalResponse {
  @Instant({ nullable: true })
  completedAt!: string | null;
  @Text({ nullable: true, description: "the operator's reason for the rejection" })
  rejectionReason!: string | null;
}
