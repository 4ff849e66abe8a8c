import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import {
  FilterInput,
  ListFormatInput,
  MoneyInput,
  TextLength,
  TransferHashInput,
  UUID_VERSIONS,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { CreatedAfterInput, CreatedBeforeInput, UserIdInput } from '../../../../http/request/list-inputs.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import { USDC } from '../../../core/ledger/domain/chart-of-accounts.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../../../portfolio/transactions/domain/transaction-kinds.js';
import { CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import {
  ADMIN_TRANSACTION_TYPES,
  TRANSACTION_REQUEST_STATUSES,
  type AdminTransactionType,
} from '../domain/admin-transaction.js';
import { TRANSFER_PURPOSES } from '../domain/transfer-plan.js';

export class AdminTransactionsQuery extends PageQuery {
  @CreatedAfterInput()
  createdAfter?: string;

  @CreatedBeforeInput()
  createdBefore?: string;

  @FilterInput(CHAIN_STATUSES)
  status?: string;

  @FilterInput(CHAIN_TYPES, {
    description: "transfer: between the providers, and a user's earnings, fees and closed principal",
  })
  type?: string;

  @UserIdInput()
  userId?: string;

  @OtherNameOf('userId')
  @UserIdInput()
  user_id?: string;

  @FilterInput(CHAIN_CHECKS, {
    description:
      'transactions that admins requested and that have this verdict of the chain; the verdicts about withdrawals of users are ' +
      'in GET /api/admin/withdrawals',
  })
  chainCheck?: string;

  @ListFormatInput()
  format: ListFormat = 'json';
}

export class CreateTransactionRequest {
  @ApiProperty({
    description:
      "deposit: to the user's available balance; withdrawal: from it, paid by custody; transfer: from the deposit " +
      'provider into custody; reversal: returns the money that a failed withdrawal still reserves, or takes back a credited ' +
      'deposit whose tokens have not arrived. The confirmation moves the money; nothing is reserved before',
  })
  @IsIn(ADMIN_TRANSACTION_TYPES)
  type!: AdminTransactionType;

  @ApiProperty({ description: 'required for a deposit or withdrawal, forbidden for a transfer' })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  userId?: string;

  @MoneyInput({
    description:
      'with withdrawalId: exactly the amount of the withdrawal; with depositId: at most the USDC that were credited and not ' +
      'taken back yet',
  })
  amount!: string;

  @ApiProperty({ description: 'always USDC' })
  @IsIn([USDC])
  currency!: string;

  @ApiProperty({ description: 'why it is booked; shown to the user of a deposit or withdrawal' })
  @TextLength(1, 500)
  description!: string;

  @ApiProperty({
    description:
      'for a reversal: the failed withdrawal; for a withdrawal: the withdrawal that was paid after its amount had been ' +
      'returned or after another payment, as an alert reports. Since it is paid already, its approval needs no screening and ' +
      'works during a pause; its confirmation requires the hash that the alert reports',
    example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  withdrawalId?: string;

  @ApiProperty({
    description:
      'for a reversal, instead of withdrawalId: the credited deposit in USDC or USDT that it takes back',
    example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12',
  })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  depositId?: string;

  @ApiProperty({
    description:
      'for a deposit only: the account that its tokens are booked on so far; the default is deposit-provider',
  })
  @IsOptional()
  @IsIn(['deposit-provider', 'suspense'])
  source?: 'deposit-provider' | 'suspense';
}

export class ConfirmTransactionRequest {
  @TransferHashInput({ optional: true })
  transactionHash?: string;
}

export class RejectTransactionRequest {
  @ApiProperty({ description: 'for the requester and the audit log' })
  @TextLength(1, 500)
  reason!: string;
}

export class GenerateTransfersRequest {
  @ApiProperty({ description: 'for the audit log' })
  @IsOptional()
  @TextLength(1, 500)
  note?: string;
}

export class ExecuteTransfersRequest {
  @ApiProperty({ description: 'e-mail address of an admin with the permission transactions:write' })
  @IsOptional()
  @TextLength(1, 254)
  assignedTo?: string;
}

export class AssignRequestRequest {
  @ApiProperty({
    description: 'e-mail address of an admin with the permission transactions:write',
    example: 'admin2@example.com',
  })
  @TextLength(1, 254)
  assignedTo!: string;
}

export class TransactionRequestsQuery extends PageQuery {
  @CreatedAfterInput()
  createdAfter?: string;

  @CreatedBeforeInput()
  createdBefore?: string;

  @FilterInput(TRANSACTION_REQUEST_STATUSES)
  status?: string;

  @FilterInput(TRANSFER_PURPOSES, { description: 'purpose of the transfer; all when absent' })
  type?: string;

  @FilterInput(CHAIN_CHECKS, { description: 'verdict of the chain about the transfer; all when absent' })
  chainCheck?: string;

  @ApiProperty({ description: "an admin's e-mail address" })
  @IsOptional()
  @TextLength(1, 254)
  assignedTo?: string;
}

export class CompleteRequestRequest {
  @TransferHashInput()
  txHash!: string;

  @ApiProperty({ description: 'a remark that admins see' })
  @IsOptional()
  @TextLength(1, 500)
  note?: string;
}
