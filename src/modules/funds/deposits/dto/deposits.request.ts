import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import {
  DateInput,
  FilterInput,
  ListFormatInput,
  MoneyInput,
  refusedAs,
  TextLength,
  WalletAddressInput,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { DEPOSIT_STATUSES, type DepositStatus } from '../domain/deposit.state-machine.js';
import {
  ADDRESS_CURRENCIES,
  DEPOSIT_CURRENCIES,
  NETWORKS,
  type DepositCurrency,
  type Network,
} from '../domain/networks.js';
import { HOLD_REASONS, type HoldReason } from '../entities/deposit.entity.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import {
  CreatedAfterInput,
  CreatedBeforeInput,
  OrderByInput,
  SortByInput,
  UserIdInput,
} from '../../../../http/request/list-inputs.js';
import { PageQuery } from '../../../../http/request/page.query.js';

const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

export class DepositAddressQuery {
  @ApiProperty({ enum: ADDRESS_CURRENCIES, description: 'what is to be deposited' })
  @IsOptional()
  @TextLength(0, 500)
  currency = 'USDT';

  @ApiProperty({ enum: NETWORKS, description: 'on which it is to be deposited' })
  @IsOptional()
  @TextLength(0, 500)
  network = 'TRC20';
}

const DEPOSIT_SORTS = ['createdAt', 'amount', 'confirmations'] as const;
export type DepositSort = (typeof DEPOSIT_SORTS)[number];

export class DepositListQuery extends PageQuery {
  override limit = 20;

  @FilterInput(DEPOSIT_STATUSES)
  status?: DepositStatus;

  @ApiProperty({ description: 'all when absent' })
  @IsOptional()
  @IsIn(DEPOSIT_CURRENCIES)
  currency?: DepositCurrency;

  @SortByInput(DEPOSIT_SORTS)
  sortBy: DepositSort = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';

  @DateInput({
    optional: true,
    description: 'created at this instant or later; a date alone is its first instant',
  })
  startDate?: string;

  @DateInput({
    optional: true,
    description: 'created at this instant or before; a date alone is the whole day',
  })
  endDate?: string;
}

export class DepositClaimRequest {
  @ApiProperty({ description: 'hash of the transfer', example: `0x${'ab'.repeat(32)}` })
  @Matches(TX_HASH, refusedAs('INVALID_TX_HASH', 'must be 0x and 64 hex digits'))
  txHash!: string;

  @MoneyInput({ code: 'INVALID_AMOUNT', description: 'amount of the transfer' })
  amount!: string;

  @ApiProperty({ description: 'what was sent' })
  @IsIn(['USDC', 'ETH'])
  currency!: 'USDC' | 'ETH';

  @WalletAddressInput({ code: 'INVALID_WALLET_ADDRESS', description: 'sender of the transfer' })
  fromAddress!: string;
}

export class AdminDepositsQuery extends PageQuery {
  @FilterInput(DEPOSIT_STATUSES)
  status?: DepositStatus;

  @FilterInput(DEPOSIT_CURRENCIES)
  currency?: DepositCurrency;

  @FilterInput(NETWORKS)
  network?: Network;

  @UserIdInput()
  userId?: string;

  @OtherNameOf('userId')
  @UserIdInput()
  user_id?: string;

  @FilterInput(HOLD_REASONS, { description: 'why the deposit is held; all when absent' })
  holdReason?: HoldReason;

  @CreatedAfterInput('first reported')
  createdAfter?: string;

  @CreatedBeforeInput('first reported')
  createdBefore?: string;

  @SortByInput(DEPOSIT_SORTS)
  sortBy: DepositSort = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';

  @ListFormatInput()
  format: ListFormat = 'json';
}
