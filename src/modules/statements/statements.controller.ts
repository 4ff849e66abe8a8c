import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import type { RawResponse } from '../../http/response/enveloped-response.js';
import { StatementResponse } from './dto/statement.response.js';
import { StatementQuery } from './dto/statements.request.js';
import { StatementsService } from './statements.service.js';

@Controller('api/user/statement')
export class StatementsController {
  constructor(private readonly statements: StatementsService) {}

  @Get()
  @UserRoute({
    summary: 'A statement of account with every movement, as JSON or CSV',
    data: StatementResponse,
    csv: true,
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  get(@CurrentUser() user: UserPrincipal, @Query() query: StatementQuery): Promise<RawResponse> {
    return this.statements.of(user.id, query);
  }
}
