import { Body, Controller, Get, Post, Put, Query } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import type { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { IdParam } from '../../../http/request/path-params.js';
import {
  AssignRequestRequest,
  CompleteRequestRequest,
  TransactionRequestsQuery,
} from './dto/admin-transactions.request.js';
import { TransactionRequestResponse } from './dto/treasury.response.js';
import { TransactionRequestsService } from './transaction-requests.service.js';
import { toTransactionRequestPage, toTransactionRequestResponse } from './treasury.mapper.js';

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
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
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
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
    @Body() body: CompleteRequestRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<TransactionRequestResponse> {
    return toTransactionRequestResponse(await this.requests.complete(id, body, admin), this.config);
  }
}
