import { Body, Controller, Get, Post, Put, Query } from '@nestjs/common';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { AdminTransactionsService } from './admin-transactions.service.js';
import {
  AdminTransactionsQuery,
  AssignRequestRequest,
  CompleteRequestRequest,
  ConfirmTransactionRequest,
  CreateTransactionRequest,
  ExecuteTransfersRequest,
  GenerateTransfersRequest,
  RejectTransactionRequest,
  TransactionRequestsQuery,
} from './dto/admin-transactions.request.js';
import {
  AdminTransactionResponse,
  CreatedRequestsResponse,
  GeneratedTransfersResponse,
  ListedTransactionResponse,
  TransactionPageResponse,
  TransactionRequestResponse,
} from './dto/treasury.response.js';
import { TransactionRequestsService } from './transaction-requests.service.js';
import { TreasuryRunsService } from './treasury-runs.service.js';
import {
  toAdminTransactionResponse,
  toCreatedRequestsResponse,
  toGeneratedTransfersResponse,
  toListedTransactionResponse,
  toTransactionPageResponse,
  toTransactionRequestPage,
  toTransactionRequestResponse,
} from './treasury.mapper.js';

const Id = () => IdParam('transaction', 'TRANSACTION_NOT_FOUND');
const REFUSALS: ErrorCode[] = ['TRANSACTION_NOT_FOUND', 'INVALID_STATE', 'SERVICE_UNAVAILABLE'];

@Controller('api/admin/transactions')
export class AdminTransactionsController {
  constructor(
    private readonly transactions: AdminTransactionsService,
    private readonly runs: TreasuryRunsService,
    private readonly requests: TransactionRequestsService,
    private readonly stepUps: StepUps,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @AdminRoute('transactions:read', {
    operationId: 'listTransactions',
    summary: 'Transactions of all users and those that admins requested, newest first',
    data: TransactionPageResponse,
    csv: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminTransactionsQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<TransactionPageResponse | RawResponse> {
    if (query.format === 'csv')
      return streamCsv({
        fileName: 'transactions.csv',
        model: ListedTransactionResponse,
        batches: this.transactions.exportTransactions(query, admin),
        toItem: toListedTransactionResponse,
      });
    return toTransactionPageResponse(await this.transactions.listTransactions(query), query);
  }

  @Post()
  @AdminRoute('transactions:write', {
    summary: 'Request a manual deposit, withdrawal, transfer or reversal, which another admin approves',
    idempotent: true,
    status: 201,
    data: AdminTransactionResponse,
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_AMOUNT',
      { code: 'INVALID_AMOUNT', status: 422 },
      'USER_NOT_FOUND',
      'WITHDRAWAL_NOT_FOUND',
      'DEPOSIT_NOT_FOUND',
      'INVALID_STATE',
      'SERVICE_UNAVAILABLE',
    ],
  })
  async create(
    @Body() body: CreateTransactionRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminTransactionResponse> {
    return toAdminTransactionResponse(await this.transactions.create(body, admin));
  }

  @Post('generate')
  @AdminRoute('transactions:write', {
    summary:
      'Generate pending transfers from the net of investments and closings since the last run, and from the surplus or shortage at the deposit provider',
    idempotent: true,
    status: 201,
    data: GeneratedTransfersResponse,
    errors: ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async generate(
    @Body() body: GenerateTransfersRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<GeneratedTransfersResponse> {
    return toGeneratedTransfersResponse(await this.runs.generateTransfers(body.note, admin));
  }

  @Post('execute')
  @AdminRoute('transactions:write', {
    summary: 'Create transaction requests for operators from approved transfers',
    idempotent: true,
    data: CreatedRequestsResponse,
    errors: ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async execute(
    @Body() body: ExecuteTransfersRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<CreatedRequestsResponse> {
    return toCreatedRequestsResponse(await this.requests.createRequests(body.assignedTo, admin), this.config);
  }

  @Get(':id')
  @AdminRoute('transactions:read', {
    summary: 'One transaction; with its approvals if an admin requested it',
    data: AdminTransactionResponse,
    errors: ['TRANSACTION_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminTransactionResponse> {
    return toAdminTransactionResponse(await this.transactions.getTransaction(id));
  }

  @Post(':id/approve')
  @AdminRoute('transactions:write', {
    summary: 'Approve a transaction that another admin requested',
    idempotent: true,
    stepUp: true,
    data: AdminTransactionResponse,
    errors: [...REFUSALS, 'ACCOUNT_LOCKED', 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async approve(
    @Id() id: string,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<AdminTransactionResponse> {
    const check = this.stepUps.checkOf(admin, token, 'approval.approve');
    return toAdminTransactionResponse(await this.transactions.approve(id, admin, check));
  }

  @Post(':id/reject')
  @AdminRoute('transactions:write', {
    summary: 'Reject a transaction together with its transaction request',
    idempotent: true,
    data: AdminTransactionResponse,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() body: RejectTransactionRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminTransactionResponse> {
    return toAdminTransactionResponse(await this.transactions.reject(id, body.reason, admin));
  }

  @Post(':id/confirm')
  @AdminRoute('transactions:write', {
    summary: 'Confirm that a transaction was carried out, and post it to the ledger',
    idempotent: true,
    data: AdminTransactionResponse,
    errors: [...REFUSALS, 'VALIDATION_ERROR', 'INVALID_TX_HASH', 'INSUFFICIENT_BALANCE', 'DUPLICATE_TX_HASH'],
  })
  async confirm(
    @Id() id: string,
    @Body() body: ConfirmTransactionRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminTransactionResponse> {
    return toAdminTransactionResponse(await this.transactions.confirm(id, body.transactionHash, admin));
  }
}

@Controller('api/admin/transaction-requests')
export class TransactionRequestsController {
  constructor(
    private readonly requests: TransactionRequestsService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @AdminRoute('transactions:read', {
    summary: 'Transfers between the deposit provider and custody for operators to carry out, newest first',
    data: [TransactionRequestResponse],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: TransactionRequestsQuery,
  ): Promise<EnvelopedResponse<TransactionRequestResponse[]>> {
    return toTransactionRequestPage(await this.requests.listRequests(query), query, this.config);
  }

  @Put(':id/assign')
  @AdminRoute('transactions:write', {
    summary: 'Assign a pending request to another admin who may complete it',
    data: TransactionRequestResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'TRANSACTION_NOT_FOUND', 'INVALID_STATE', 'VALIDATION_ERROR'],
  })
  async assign(
    @Id() id: string,
    @Body() { assignedTo }: AssignRequestRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<TransactionRequestResponse> {
    return toTransactionRequestResponse(await this.requests.assign(id, assignedTo, admin), this.config);
  }

  @Post(':id/complete')
  @AdminRoute('transactions:write', {
    summary: 'Enter the hash of the transfer, which confirms and posts it',
    idempotent: true,
    data: TransactionRequestResponse,
    errors: [
      'TRANSACTION_NOT_FOUND',
      'INVALID_STATE',
      'INVALID_TX_HASH',
      'DUPLICATE_TX_HASH',
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'SERVICE_UNAVAILABLE',
    ],
  })
  async complete(
    @Id() id: string,
    @Body() body: CompleteRequestRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<TransactionRequestResponse> {
    return toTransactionRequestResponse(await this.requests.complete(id, body, admin), this.config);
  }
}
