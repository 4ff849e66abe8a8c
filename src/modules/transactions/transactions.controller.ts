import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import type { Answer } from '../../http/response/enveloped-response.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { ChainTransactionDetailView, ChainTransactionsView } from './dto/chain-transaction.response.js';
import { TransactionDetailView, TransactionView } from './dto/transaction.response.js';
import {
  TransactionQuery,
  TransactionsParameters,
  TransactionsQueryPipe,
  type TransactionsQuery,
} from './dto/transactions.request.js';
import { TransactionsService } from './transactions.service.js';

@Controller('api/user/transactions')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get()
  @TransactionsParameters()
  @UserRoute({
    summary: "The user's transactions",
    data: [TransactionView],
    paged: true,
    variant: ChainTransactionsView,
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE', 'INVALID_PAGINATION', 'INVALID_PAGE', 'INVALID_LIMIT'],
  })
  list(
    @CurrentUser() user: UserPrincipal,
    @Query(TransactionsQueryPipe) query: TransactionsQuery,
  ): Promise<Answer<TransactionView[]> | ChainTransactionsView> {
    return this.transactions.list(user.id, query);
  }

  @Get(':id')
  @UserRoute({
    summary: 'One transaction with its timeline',
    data: TransactionDetailView,
    variant: ChainTransactionDetailView,
    errors: ['VALIDATION_ERROR', 'TRANSACTION_NOT_FOUND', 'FORBIDDEN'],
  })
  get(
    @CurrentUser() user: UserPrincipal,
    @Param('id', new IdPipe('TRANSACTION_NOT_FOUND')) id: string,
    @Query() { view }: TransactionQuery,
  ): Promise<TransactionDetailView | ChainTransactionDetailView> {
    return this.transactions.get(user.id, id, view);
  }
}
