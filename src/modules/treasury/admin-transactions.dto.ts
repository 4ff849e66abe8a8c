import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import {
  ChoiceInput,
  FilterInput,
  MoneyInput,
  TextInput,
  TransferHashInput,
  UuidInput,
} from '../../http/validation/inputs.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { USDC } from '../ledger/chart-of-accounts.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../transactions/chain-transaction.words.js';
import { ADMIN_TRANSACTION_TYPES, type AdminTransactionType } from './admin-transaction.transitions.js';
import { REQUEST_STATUSES, TRANSFER_PURPOSES } from './transaction-request.transitions.js';

export class AdminTransactionsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(CHAIN_STATUSES)
  status?: string;

  @FilterInput(CHAIN_TYPES, {
    description: "transfer: the treasury's, and what closing an investment moved",
  })
  type?: string;

  @UuidInput({ optional: true })
  user_id?: string;

  @UuidInput({ optional: true, description: 'another name of user_id' })
  userId?: string;
}

export class CreateTransactionDto {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @ChoiceInput(ADMIN_TRANSACTION_TYPES, {
    description:
      "deposit: to the user's free balance; withdrawal: from it, paid by custody; transfer: from the deposit provider " +
      'into custody; reversal: gives back what a failed withdrawal still reserves. Money moves on confirming, and ' +
      'nothing is reserved before',
  })
  type!: AdminTransactionType;

  @UuidInput({
    optional: true,
    description: 'needed for a deposit or withdrawal; of a transfer there is none',
  })
  userId?: string;

  @MoneyInput({ description: "of a reversal: exactly the withdrawal's" })
  amount!: string;

  @ChoiceInput([USDC])
  currency!: string;

  @TextInput({ description: 'what it is for; the user of a deposit or withdrawal reads it' })
  description!: string;

  @UuidInput({
    optional: true,
    description: 'of a reversal alone: the failed withdrawal',
    example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  })
  withdrawalId?: string;

  @ChoiceInput(['deposit-provider', 'suspense'], {
    optional: true,
    description: 'of a deposit alone: where its tokens were booked so far; deposit-provider unless given',
  })
  source?: 'deposit-provider' | 'suspense';
}

export class ConfirmTransactionDto {
  @TransferHashInput({ optional: true })
  transactionHash?: string;
}

export class RejectTransactionDto {
  @TextInput()
  reason!: string;
}

export class GenerateTransfersDto {
  @TextInput({ optional: true, description: 'for the audit log' })
  note?: string;
}

export class ExecuteTransfersDto {
  @TextInput({
    optional: true,
    maxLength: 254,
    description: 'e-mail address of an admin with the permission transactions:write',
  })
  assignedTo?: string;
}

export class AssignRequestDto {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @TextInput({
    maxLength: 254,
    description: 'e-mail address of an admin with the permission transactions:write',
    example: 'admin2@example.com',
  })
  assignedTo!: string;
}

export class TransactionRequestsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(REQUEST_STATUSES)
  status?: string;

  @FilterInput(TRANSFER_PURPOSES)
  type?: string;

  @TextInput({ optional: true, maxLength: 254, description: "an admin's e-mail address" })
  assignedTo?: string;
}

export class CompleteRequestDto {
  @TransferHashInput()
  txHash!: string;

  @TextInput({ optional: true })
  note?: string;
}
