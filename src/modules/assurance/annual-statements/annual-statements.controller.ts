import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { toDocumentFile, writeDocument } from '../../../http/documents/document-files.js';
import type { RawResponse } from '../../../http/response/enveloped-response.js';
import { LogKeysService } from '../proofs/log-keys.service.js';
import { ReceiptResponse } from '../receipts/dto/receipt.response.js';
import { annualStatementMembers, toAnnualDocument } from './annual-statements.mapper.js';
import { AnnualStatementsService } from './annual-statements.service.js';
import { AnnualStatementQuery } from './dto/annual-statements.request.js';

@Controller('api/user/statement/annual')
export class AnnualStatementsController {
  constructor(
    private readonly statements: AnnualStatementsService,
    private readonly keys: LogKeysService,
  ) {}

  @Get()
  @UserRoute({
    operationId: 'getAnnualStatement',
    scope: 'transactions:read',
    summary:
      'The signed statement of a year: values, income by month and strategy, fees and disposals of units; also as a page to print or PDF',
    data: ReceiptResponse,
    printed: true,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  async get(
    @CurrentUser() user: UserPrincipal,
    @Query() { year, method, format }: AnnualStatementQuery,
  ): Promise<ReceiptResponse | RawResponse> {
    const request = { year: Number(year), method };
    if (format === 'json')
      return this.statements.read(user.id, request, (statement) =>
        this.keys.sign(annualStatementMembers(statement)),
      );
    const pieces = await this.statements.print(user.id, request, (statement) =>
      writeDocument(toAnnualDocument(statement), format),
    );
    return toDocumentFile(pieces, format, `annual-statement-${year}-${method}`);
  }
}
