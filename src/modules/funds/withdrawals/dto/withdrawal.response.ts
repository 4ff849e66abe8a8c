import {
  EnumField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

export const HELD_BY_PLATFORM_LIMIT =
  'a pending withdrawal that waits because the withdrawals of all users have reached the limit of the platform; operators cannot approve or take it meanwhile';
export const CANCELLED_BY_USER = 'true if the user cancelled the withdrawal, whose status is then rejected';
export const CANCELLED_AT = 'when the user cancelled the withdrawal; null otherwise';

export class RequestedWithdrawalResponse {
  @UuidField() id!: string;
  @EnumField(WITHDRAWAL_STATUSES) status!: string;
  @BooleanField({ description: HELD_BY_PLATFORM_LIMIT }) heldByPlatformLimit!: boolean;
  @MoneyField({ description: 'requested amount in USDC; nothing is deducted from it' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
}

export class WithdrawalResponse extends RequestedWithdrawalResponse {
  @StringField({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }) toAddress!: string;
  @InstantField() createdAt!: string;
  @StringField({ description: 'empty until completed' }) txHash!: string;
  @BooleanField({
    description:
      'true while the user can cancel the withdrawal: it is pending, and no operator has taken it and put it back',
  })
  cancellable!: boolean;
  @BooleanField({ description: CANCELLED_BY_USER }) cancelledByUser!: boolean;
  @InstantField({ nullable: true, description: CANCELLED_AT }) cancelledAt!: string | null;
  @StringField({
    nullable: true,
    description: 'why the payment of a failed withdrawal failed; null in every other status',
  })
  failureReason!: string | null;
  @BooleanField({
    description:
      'true if the amount is available again, after a rejection, a cancellation, or the release of a failed withdrawal',
  })
  returned!: boolean;
  @InstantField({
    nullable: true,
    description: 'when the amount became available again; null unless returned',
  })
  returnedAt!: string | null;
}

export class WithdrawalListResponse {
  @ListField(() => WithdrawalResponse) requests!: WithdrawalResponse[];
}

export class WithdrawalDetailResponse extends WithdrawalResponse {
  @InstantField({ nullable: true }) completedAt!: string | null;
  @StringField({ nullable: true, description: "the operator's reason for the rejection" })
  rejectionReason!: string | null;
}
