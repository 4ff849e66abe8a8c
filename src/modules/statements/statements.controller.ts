import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import type { RawAnswer } from '../../http/response/enveloped-response.js';
import { StatementView } from './dto/statement.response.js';
import { StatementQuery } from './dto/statements.request.js';
import { Statements } from './statements.service.js';

@Controller('api/user/statement')
export class StatementsController {
  constructor(private readonly statements: Statements) {}

  @Get()
  @UserRoute({
    summary: 'A statement of account with every movement, as JSON or CSV',
    data: StatementView,
    csv: true,
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  get(@CurrentUser() user: UserPrincipal, @Query() query: StatementQuery): Promise<RawAnswer> {
    return this.statements.of(user.id, query);
  }
}
