import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import {
  ChainTransactionDetailResponse,
  ChainTransactionsResponse,
  TransactionDetailResponse,
  TransactionResponse,
} from './dto/transaction.response.js';
import {
  TransactionQuery,
  TransactionsParameters,
  TransactionsQueryPipe,
  type TransactionsQuery,
} from './dto/list-transactions.request.js';
import {
  toChainTransactionDetailResponse,
  toChainTransactionsResponse,
  toTransactionDetailResponse,
  toTransactionResponse,
} from './transactions.mapper.js';
import { TransactionsService } from './transactions.service.js';

@Controller('api/user/transactions')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get()
  @TransactionsParameters()
  @UserRoute({
    scope: 'transactions:read',
    summary: "The user's transactions",
    data: [TransactionResponse],
    paged: true,
    variant: ChainTransactionsResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE', 'INVALID_PAGINATION', 'INVALID_PAGE', 'INVALID_LIMIT'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query(TransactionsQueryPipe) query: TransactionsQuery,
  ): Promise<EnvelopedResponse<TransactionResponse[]> | ChainTransactionsResponse> {
    const page = await this.transactions.listTransactions(user.id, query);
    return query.view === 'chain'
      ? toChainTransactionsResponse(page, query)
      : pagedResponse(
          page.rows.map((row) => toTransactionResponse(row, row.language)),
          query,
          page,
        );
  }

  @Get(':id')
  @UserRoute({
    scope: 'transactions:read',
    summary: 'One transaction with its timeline',
    data: TransactionDetailResponse,
    variant: ChainTransactionDetailResponse,
    errors: ['VALIDATION_ERROR', 'TRANSACTION_NOT_FOUND', 'FORBIDDEN'],
  })
  async get(
    @CurrentUser() user: UserPrincipal,
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
    @Query() { view }: TransactionQuery,
  ): Promise<TransactionDetailResponse | ChainTransactionDetailResponse> {
    const details = await this.transactions.getTransaction(user.id, id);
    return view === 'chain'
      ? toChainTransactionDetailResponse(details)
      : toTransactionDetailResponse(details);
  }
}
