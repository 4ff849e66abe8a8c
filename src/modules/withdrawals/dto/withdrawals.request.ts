import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsOptional, IsUUID } from 'class-validator';
import {
  DateInput,
  FilterInput,
  ListFormatInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  TransferHashInput,
  UUID_VERSIONS,
  WalletAddressInput,
  type ListFormat,
} from '../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { CHAIN_CHECKS } from '../../blockchain/domain/chain-check.js';
import { USDC } from '../../ledger/domain/chart-of-accounts.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

const BULK_LIMIT = 100;

export class CreateWithdrawalRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @MoneyInput({ description: 'at least the minimum, 10.00 unless configured otherwise' })
  amount!: string;

  @IsIn([USDC])
  currency!: string;

  @WalletAddressInput({
    description:
      'a wrong EIP-55 checksum is accepted and shown to operators; the zero address, token contracts, deposit addresses and ' +
      'custody addresses are rejected',
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
    description: 'cancelled selects nothing: a withdrawal that its user cancels has the status rejected',
  })
  status?: string;

  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  userId?: string;

  @ApiProperty({ description: 'another name of userId' })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  user_id?: string;

  @MoneyInput({ optional: true })
  minAmount?: string;

  @DateInput({
    optional: true,
    description: 'requested at this instant or later; a date without a time means midnight UTC',
  })
  createdAfter?: string;

  @FilterInput(CHAIN_CHECKS, {
    description:
      'completed withdrawals with this verdict of the chain; mismatch: the chain refutes the payment',
  })
  chainCheck?: string;

  @IsOptional()
  @IsIn(['createdAt', 'amount', 'completedAt'])
  sortBy: 'createdAt' | 'amount' | 'completedAt' = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'desc';

  @ApiProperty({ description: 'basic: data is {withdrawals, total}' })
  @IsOptional()
  @IsIn(['basic'])
  view?: 'basic';

  @ListFormatInput()
  format: ListFormat = 'json';
}

export class BulkTakeRequest {
  @IsArray()
  @ArrayMinSize(1, { message: 'must name at least one withdrawal' })
  @ArrayMaxSize(BULK_LIMIT, { message: `must name at most ${BULK_LIMIT} withdrawals` })
  @IsUUID('loose', { each: true, message: 'must be UUIDs' })
  ids!: string[];
}

export class CompleteWithdrawalRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @TransferHashInput()
  txHash!: string;

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
