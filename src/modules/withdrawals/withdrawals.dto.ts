import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, Matches } from 'class-validator';
import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import {
  ChoiceInput,
  DateInput,
  FilterInput,
  MoneyInput,
  TextInput,
  TransferHashInput,
  UuidInput,
  WalletAddressInput,
} from '../../http/validation/inputs.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { USDC } from '../ledger/chart-of-accounts.js';
import { WITHDRAWAL_STATUSES } from './withdrawal.transitions.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BULK_LIMIT = 100;

export class RequestWithdrawalDto {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @MoneyInput({ description: 'at least the minimum, 10.00 unless configured otherwise' })
  amount!: string;

  @ChoiceInput([USDC])
  currency!: string;

  @WalletAddressInput({
    description:
      'a wrong EIP-55 checksum is not refused, but shown to operators; refused are the zero address, contracts of tokens, ' +
      'deposit addresses and addresses of custody',
  })
  toAddress!: string;
}

export class WithdrawalsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 100;
}

export class AdminWithdrawalsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput([...WITHDRAWAL_STATUSES, 'cancelled'], {
    description: 'no withdrawal is ever cancelled: what a user cancels is rejected',
  })
  status?: string;

  @UuidInput({ optional: true })
  userId?: string;

  @UuidInput({ optional: true, description: 'another name of userId' })
  user_id?: string;

  @MoneyInput({ optional: true })
  minAmount?: string;

  @DateInput({
    optional: true,
    description: 'requested at this instant or later; a date alone is its first instant',
  })
  createdAfter?: string;

  @ChoiceInput(['createdAt', 'amount', 'completedAt'], { optional: true })
  sortBy: 'createdAt' | 'amount' | 'completedAt' = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'desc';

  @ChoiceInput(['basic'], { optional: true, description: 'basic: data is {withdrawals, total}' })
  view?: 'basic';
}

export class BulkTakeDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: BULK_LIMIT,
  })
  @IsArray()
  @ArrayMinSize(1, { message: 'must name at least one withdrawal' })
  @ArrayMaxSize(BULK_LIMIT, { message: `must name at most ${BULK_LIMIT} withdrawals` })
  @Matches(UUID, { each: true, message: 'must be UUIDs' })
  ids!: string[];
}

export class CompleteWithdrawalDto {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @TransferHashInput()
  txHash!: string;

  @TextInput({ optional: true })
  note?: string;

  @ApiPropertyOptional({ type: 'boolean', description: 'one transaction paid several withdrawals' })
  @IsOptional()
  @IsBoolean()
  allowSharedTxHash?: boolean;
}

export class RejectWithdrawalDto {
  @TextInput({ description: 'the user is told' })
  reason!: string;
}
