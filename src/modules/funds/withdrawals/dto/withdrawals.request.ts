import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsUUID,
  Matches,
  ValidateNested,
} from 'class-validator';
import type { ErrorCode } from '../../../../common/errors/error-catalogue.js';
import {
  DateInput,
  FilterInput,
  ListFormatInput,
  MoneyInput,
  PageLimit,
  refusedAs,
  TextLength,
  TransferHashInput,
  WalletAddressInput,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { OrderByInput, SortByInput, UserIdInput } from '../../../../http/request/list-inputs.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import { USDC } from '../../../core/ledger/domain/chart-of-accounts.js';
import { CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

const BULK_LIMIT = 100;

export class CreateWithdrawalRequest {
  /** The code for an absent required field (request.pipe.ts). */
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @MoneyInput({ description: 'at least the minimum, 10.00 unless configured otherwise' })
  amount!: string;

  @ApiProperty({ description: 'always USDC' })
  @IsIn([USDC])
  currency!: string;

  @WalletAddressInput({
    description:
      'a wrong EIP-55 checksum is accepted and shown to operators; the zero address, token contracts, deposit addresses and ' +
      'custody addresses are rejected',
  })
  toAddress!: string;
}

export class WithdrawalsQuery extends PageQuery {
  @PageLimit() // only a class with a decorator has its default documented
  override limit = 100;
}

const AdminFilter = () =>
  applyDecorators(
    ApiProperty({ description: "an admin's e-mail address" }),
    IsOptional(),
    TextLength(1, 254),
  );

export class AdminWithdrawalsQuery extends PageQuery {
  @FilterInput([...WITHDRAWAL_STATUSES, 'cancelled'], {
    description:
      'cancelled: withdrawals that their users cancelled; their status is rejected, which therefore selects them, too',
  })
  status?: string;

  @UserIdInput()
  userId?: string;

  @OtherNameOf('userId')
  @UserIdInput()
  user_id?: string;

  @MoneyInput({ optional: true, description: 'least amount' })
  minAmount?: string;

  @DateInput({
    optional: true,
    description: 'requested at this instant or later; a date without a time means midnight UTC',
  })
  createdAfter?: string;

  @DateInput({ optional: true, description: 'requested before this instant' })
  createdBefore?: string;

  @AdminFilter()
  takenBy?: string;

  @DateInput({ optional: true, description: 'takenAt, also named executedAt, is this instant or later' })
  takenAfter?: string;

  @DateInput({ optional: true, description: 'takenAt, also named executedAt, is before this instant' })
  takenBefore?: string;

  @AdminFilter()
  completedBy?: string;

  @DateInput({ optional: true, description: 'completed at this instant or later' })
  completedAfter?: string;

  @DateInput({ optional: true, description: 'completed before this instant' })
  completedBefore?: string;

  @TransferHashInput({ optional: true, description: 'with or without 0x' })
  txHash?: string;

  @WalletAddressInput({ optional: true, description: 'destinationAddress, in any letter case' })
  toAddress?: string;

  @FilterInput(CHAIN_CHECKS, {
    description:
      'completed withdrawals with this verdict of the chain; mismatch: the chain refutes the payment',
  })
  chainCheck?: string;

  @SortByInput(['createdAt', 'amount', 'completedAt'])
  sortBy: 'createdAt' | 'amount' | 'completedAt' = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';

  @ApiProperty({ description: 'basic: data is {withdrawals, total}' })
  @IsOptional()
  @IsIn(['basic'])
  view?: 'basic';

  @ListFormatInput()
  format: ListFormat = 'json';
}

const WithdrawalIdsInput = () =>
  applyDecorators(
    ApiProperty({ description: 'ids of the withdrawals' }),
    IsArray(),
    ArrayMinSize(1, { message: 'must name at least one withdrawal' }),
    ArrayMaxSize(BULK_LIMIT, { message: `must name at most ${BULK_LIMIT} withdrawals` }),
    IsUUID('loose', { each: true, message: 'must be UUIDs' }),
  );

export class BulkTakeRequest {
  @WithdrawalIdsInput()
  ids!: string[];
}

export class CompleteWithdrawalRequest {
  @TransferHashInput()
  txHash!: string;

  @ApiProperty({ description: 'a remark that admins see' })
  @IsOptional()
  @TextLength(1, 500)
  note?: string;

  @ApiProperty({
    description:
      'allows a hash that another withdrawal, a deposit or a transaction by hand has, because the transaction contains several transfers',
  })
  @IsOptional()
  @IsBoolean()
  allowSharedTxHash?: boolean;
}

export class RejectWithdrawalRequest {
  @ApiProperty({ description: 'shown to the user' })
  @TextLength(1, 500)
  reason!: string;
}

export class WithdrawalReasonRequest {
  /** The code for an absent required field (request.pipe.ts). */
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({ description: 'of a failure, shown to the user; of a return, for admins' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be one line of 1 to 500 characters that are not all spaces'),
  )
  reason!: string;
}

export class ReleaseWithdrawalRequest {
  @ApiProperty({
    description:
      'why the withdrawal need not wait, for the second admin and the audit log; without it the answer is REASON_REQUIRED',
  })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;
}

export class PaymentFileQuery {
  @ListFormatInput()
  format: ListFormat = 'json';

  @DateInput({ optional: true, description: 'takenAt is this instant or later' })
  takenAfter?: string;
}

export class PaidWithdrawalRequest {
  @ApiProperty({ description: 'id of the withdrawal' })
  @IsUUID('loose', { message: 'must be a UUID' })
  id!: string;

  @TransferHashInput()
  txHash!: string;
}

@ApiExtraModels(PaidWithdrawalRequest)
export class BulkCompleteRequest {
  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(PaidWithdrawalRequest) },
    description: 'the paid withdrawals',
  })
  @IsArray()
  @ArrayMinSize(1, { message: 'must name at least one withdrawal' })
  @ArrayMaxSize(BULK_LIMIT, { message: `must name at most ${BULK_LIMIT} withdrawals` })
  @ArrayUnique(({ id }: PaidWithdrawalRequest) => String(id).toLowerCase(), {
    message: 'must name each withdrawal once',
  })
  @ValidateNested({ each: true })
  @Type(() => PaidWithdrawalRequest)
  items!: PaidWithdrawalRequest[];
}

export class BulkRejectRequest {
  @WithdrawalIdsInput()
  ids!: string[];

  @ApiProperty({ description: 'shown to the users' })
  @TextLength(1, 500)
  reason!: string;
}
