import { Choice, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

export const CANCELLED_BY_USER = 'true if the user cancelled the withdrawal, whose status is then rejected';
export const CANCELLED_AT = 'when the user cancelled the withdrawal; null otherwise';

export class RequestedWithdrawalResponse {
  @Uuid()
  id!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
}

export class WithdrawalResponse extends RequestedWithdrawalResponse {
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  toAddress!: string;
  @Instant()
  createdAt!: string;
  @Text({ description: 'empty until completed' })
  txHash!: string;
  @Flag({ description: CANCELLED_BY_USER })
  cancelledByUser!: boolean;
  @Instant({ nullable: true, description: CANCELLED_AT })
  cancelledAt!: string | null;
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
