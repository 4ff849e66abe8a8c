import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import type { RawResponse } from '../../../http/response/enveloped-response.js';
import { currentTrace } from '../../../observability/tracing/trace.js';
import { StatementResponse } from './dto/statement.response.js';
import { StatementQuery } from './dto/statements.request.js';
import { toStatementFile, writeStatement } from './statement-formats.mapper.js';
import { StatementsService } from './statements.service.js';

@Controller('api/user/statement')
export class StatementsController {
  constructor(private readonly statements: StatementsService) {}

  @Get()
  @UserRoute({
    scope: 'transactions:read',
    summary:
      'A statement of account with every movement, as JSON, CSV, a journal for hledger and Ledger, a page to print, or PDF',
    data: StatementResponse,
    csv: true,
    journal: true,
    printed: true,
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  async get(@CurrentUser() user: UserPrincipal, @Query() query: StatementQuery): Promise<RawResponse> {
    return toStatementFile(
      await this.statements.streamStatement(user.id, query, (statement) =>
        writeStatement(statement, query.format, currentTrace()),
      ),
      query.format,
    );
  }
}
