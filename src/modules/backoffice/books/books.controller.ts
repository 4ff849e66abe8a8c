import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { PathParam } from '../../../http/request/path-params.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import {
  toAccountEntriesPage,
  toBookAccountResponse,
  toEntriesFile,
  toProfitAndLossFile,
  toProfitAndLossResponse,
  toTrialBalanceFile,
  toTrialBalanceResponse,
  writeEntries,
} from './books.mapper.js';
import { BooksService } from './books.service.js';
import { EntriesQuery, RangeQuery, TrialBalanceQuery } from './dto/books.request.js';
import {
  AccountEntriesResponse,
  BookAccountResponse,
  ProfitAndLossResponse,
  TrialBalanceResponse,
} from './dto/books.response.js';

const AccountId = () =>
  PathParam({ name: 'id', description: 'id of the account', example: 'user.available:USDC' });

@Controller('api/admin/books')
export class BooksController {
  constructor(private readonly books: BooksService) {}

  @Get('accounts')
  @AdminRoute('reports:read', {
    summary: 'The accounts of the platform’s books; those of users together, by kind and asset',
    data: [BookAccountResponse],
  })
  async listAccounts(): Promise<BookAccountResponse[]> {
    return (await this.books.listAccounts()).map(toBookAccountResponse);
  }

  @Get('accounts/:id/entries')
  @AdminRoute('reports:read', {
    summary: 'The entries of an account with the balance after each, the oldest first',
    data: AccountEntriesResponse,
    paged: true,
    csv: true,
    journal: true,
    errors: ['ACCOUNT_NOT_FOUND', 'INVALID_DATE_RANGE', 'INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async listEntries(
    @AccountId() id: string,
    @Query() query: EntriesQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<AccountEntriesResponse> | RawResponse> {
    const { format } = query;
    if (format === 'json') return toAccountEntriesPage(query, await this.books.listEntries(id, query));
    const pieces = await this.books.streamEntries(id, query, admin, (entries) =>
      writeEntries(entries, format),
    );
    return toEntriesFile(pieces, id, format);
  }

  @Get('trial-balance')
  @AdminRoute('reports:read', {
    summary: 'The balances of all accounts at the end of a day; debits equal credits in each asset',
    data: TrialBalanceResponse,
    csv: true,
    journal: true,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async getTrialBalance(
    @Query() { date, format }: TrialBalanceQuery,
  ): Promise<TrialBalanceResponse | RawResponse> {
    const trialBalance = await this.books.getTrialBalance(date);
    return format === 'json'
      ? toTrialBalanceResponse(trialBalance)
      : toTrialBalanceFile(trialBalance, format);
  }

  @Get('profit-and-loss')
  @AdminRoute('reports:read', {
    summary: 'Income and expenses of a range of days',
    data: ProfitAndLossResponse,
    csv: true,
    journal: true,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async getProfitAndLoss(@Query() query: RangeQuery): Promise<ProfitAndLossResponse | RawResponse> {
    const result = await this.books.getProfitAndLoss(query);
    return query.format === 'json'
      ? toProfitAndLossResponse(result)
      : toProfitAndLossFile(result, query.format);
  }
}
