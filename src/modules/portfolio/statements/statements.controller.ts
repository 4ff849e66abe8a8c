import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CurrentAdmin,
  CurrentUser,
  type AdminPrincipal,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { AdminRoute, UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import type { RawResponse } from '../../../http/response/enveloped-response.js';
import { currentTrace } from '../../../observability/tracing/trace.js';
import { StatementResponse } from './dto/statement.response.js';
import { StatementQuery } from './dto/statements.request.js';
import { toStatementFile, writeStatement } from './statement-formats.mapper.js';
import { StatementsService, type Statement } from './statements.service.js';

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
    const write = (statement: Statement) => writeStatement(statement, query.format, currentTrace());
    return toStatementFile(await this.statements.streamStatement(user.id, query, write), query.format);
  }
}

@ApiTags('Admin: users')
@Controller('api/admin/users/:id/statement')
export class AdminStatementsController {
  constructor(private readonly statements: StatementsService) {}

  @Get()
  @AdminRoute('transactions:read', {
    operationId: 'getUserStatement',
    summary: "A user's statement of account, as the user gets it",
    data: StatementResponse,
    csv: true,
    journal: true,
    printed: true,
    errors: ['USER_NOT_FOUND', 'VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  async get(
    @IdParam('user', 'USER_NOT_FOUND') id: string,
    @Query() query: StatementQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<RawResponse> {
    const write = (statement: Statement) => writeStatement(statement, query.format, currentTrace());
    return toStatementFile(await this.statements.streamStatement(id, query, write, admin), query.format);
  }
}
