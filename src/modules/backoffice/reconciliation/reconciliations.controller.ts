import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { IdParam } from '../../../http/request/path-params.js';
import { ReconciliationLineResponse, ReconciliationResponse } from './dto/reconciliation.response.js';
import {
  MakeReconciliationRequest,
  ReconciliationLinesQuery,
  ReconciliationsQuery,
} from './dto/reconciliations.request.js';
import { toReconciliationLineResponse, toReconciliationResponse } from './reconciliation.mapper.js';
import { ReconciliationsService } from './reconciliations.service.js';

const Id = () => IdParam('reconciliation', 'RECONCILIATION_NOT_FOUND');

@Controller('api/admin/reconciliations')
export class ReconciliationsController {
  constructor(private readonly reconciliations: ReconciliationsService) {}

  @Post()
  @AdminRoute('transactions:write', {
    summary: 'Compare a statement, or the deposit provider’s list, with the ledger and the chain; up to 5 MB',
    data: ReconciliationResponse,
    status: 201,
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'INVALID_DATE_RANGE',
      'RECONCILIATION_EXISTS',
      'CRYPTO2B_API_ERROR',
    ],
  })
  async create(
    @Body() body: MakeReconciliationRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationResponse> {
    return toReconciliationResponse(await this.reconciliations.createReconciliation(body, admin));
  }

  @Get()
  @AdminRoute('transactions:read', {
    summary: 'Reconciliations, newest first',
    data: [ReconciliationResponse],
    paged: true,
    errors: ['INVALID_PAGINATION'],
  })
  async list(@Query() query: ReconciliationsQuery): Promise<EnvelopedResponse<ReconciliationResponse[]>> {
    const { rows, ...page } = await this.reconciliations.listReconciliations(query);
    return pagedResponse(rows.map(toReconciliationResponse), query, page);
  }

  @Get(':id')
  @AdminRoute('transactions:read', {
    summary: 'One reconciliation with its counts and sums',
    data: ReconciliationResponse,
    errors: ['RECONCILIATION_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<ReconciliationResponse> {
    return toReconciliationResponse(await this.reconciliations.getReconciliation(id));
  }

  @Get(':id/lines')
  @AdminRoute('transactions:read', {
    summary: 'Lines of a reconciliation in the order of the statement, followed by the records it lacks',
    data: [ReconciliationLineResponse],
    paged: true,
    errors: ['RECONCILIATION_NOT_FOUND', 'INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async lines(
    @Id() id: string,
    @Query() query: ReconciliationLinesQuery,
  ): Promise<EnvelopedResponse<ReconciliationLineResponse[]>> {
    const { rows, ...page } = await this.reconciliations.listLines(id, query);
    return pagedResponse(rows.map(toReconciliationLineResponse), query, page);
  }
}
