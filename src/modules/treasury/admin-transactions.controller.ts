import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import {
  AdminTransactionView,
  adminTransactionView,
  GeneratedTransfersView,
  generatedTransfersView,
  TransactionPageView,
  transactionPageView,
} from './dto/admin-transaction.response.js';
import {
  AdminTransactionsQuery,
  ConfirmTransactionDto,
  CreateTransactionDto,
  ExecuteTransfersDto,
  GenerateTransfersDto,
  RejectTransactionDto,
} from './dto/admin-transactions.request.js';
import { AdminTransactionQueries } from './admin-transactions.queries.js';
import { AdminTransactions } from './admin-transactions.service.js';
import { HandedOutView, transactionRequestView } from './dto/transaction-request.response.js';
import { TransactionRequests } from './transaction-requests.service.js';
import { Providers } from './treasury-providers.js';
import { TreasuryRuns } from './treasury-runs.service.js';

const Id = () => Param('id', new IdPipe('TRANSACTION_NOT_FOUND'));
const REFUSALS: ErrorCode[] = ['TRANSACTION_NOT_FOUND', 'INVALID_STATE', 'SERVICE_UNAVAILABLE'];

@Controller('api/admin/transactions')
export class AdminTransactionsController {
  constructor(
    private readonly transactions: AdminTransactions,
    private readonly queries: AdminTransactionQueries,
    private readonly runs: TreasuryRuns,
    private readonly requests: TransactionRequests,
    private readonly providers: Providers,
  ) {}

  @Get()
  @AdminRoute('transactions:read', {
    summary: 'Transactions of all users and those that admins requested, the newest first',
    data: TransactionPageView,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: AdminTransactionsQuery): Promise<TransactionPageView> {
    const filter = { ...query, userId: query.userId ?? query.user_id };
    return transactionPageView(await this.queries.list(filter), query);
  }

  @Post()
  @AdminRoute('transactions:write', {
    summary: 'Request a manual deposit, withdrawal, transfer or reversal, which another admin approves',
    idempotent: true,
    status: 201,
    data: AdminTransactionView,
    errors: [
      'VALIDATION_ERROR',
      'INVALID_AMOUNT',
      { code: 'INVALID_AMOUNT', status: 422 },
      'USER_NOT_FOUND',
      'WITHDRAWAL_NOT_FOUND',
      'INVALID_STATE',
      'SERVICE_UNAVAILABLE',
    ],
  })
  async create(
    @Body() body: CreateTransactionDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminTransactionView> {
    return adminTransactionView(await this.transactions.create(body, admin));
  }

  @Post('generate')
  @AdminRoute('transactions:write', {
    summary: 'Generate pending transfers from the net of investments and closings since the last run',
    idempotent: true,
    status: 201,
    data: GeneratedTransfersView,
    errors: ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async generate(
    @Body() body: GenerateTransfersDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<GeneratedTransfersView> {
    return generatedTransfersView(await this.runs.generate(body.note, admin));
  }

  @Post('execute')
  @AdminRoute('transactions:write', {
    summary: 'Create transaction requests for operators from approved transfers',
    idempotent: true,
    data: HandedOutView,
    errors: ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async execute(
    @Body() body: ExecuteTransfersDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<HandedOutView> {
    const requests = await this.requests.execute(body.assignedTo, admin);
    return { requests: requests.map((request) => transactionRequestView(request, this.providers)) };
  }

  @Get(':id')
  @AdminRoute('transactions:read', {
    summary: 'One transaction; with its approvals if an admin requested it',
    data: AdminTransactionView,
    errors: ['TRANSACTION_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminTransactionView> {
    return adminTransactionView(await this.queries.get(id));
  }

  @Post(':id/approve')
  @AdminRoute('transactions:write', {
    summary: 'Approve a transaction that another admin requested',
    idempotent: true,
    data: AdminTransactionView,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async approve(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminTransactionView> {
    return adminTransactionView(await this.transactions.approve(id, admin));
  }

  @Post(':id/reject')
  @AdminRoute('transactions:write', {
    summary: 'Reject a transaction together with its transaction request',
    idempotent: true,
    data: AdminTransactionView,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() body: RejectTransactionDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminTransactionView> {
    return adminTransactionView(await this.transactions.reject(id, body.reason, admin));
  }

  @Post(':id/confirm')
  @AdminRoute('transactions:write', {
    summary: 'Confirm that a transaction was carried out, and post it to the ledger',
    idempotent: true,
    data: AdminTransactionView,
    errors: [...REFUSALS, 'VALIDATION_ERROR', 'INSUFFICIENT_BALANCE', 'DUPLICATE_TX_HASH'],
  })
  async confirm(
    @Id() id: string,
    @Body() body: ConfirmTransactionDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminTransactionView> {
    return adminTransactionView(await this.transactions.confirm(id, body.transactionHash, admin));
  }
}
