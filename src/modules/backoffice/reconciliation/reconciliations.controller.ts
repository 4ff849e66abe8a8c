import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { ReconciliationLineResponse, ReconciliationResponse } from './dto/reconciliation.response.js';
import {
  AssignBreakRequest,
  MakeReconciliationRequest,
  ProposeResolutionRequest,
  ReconciliationLinesQuery,
  ReconciliationsQuery,
  ReopenBreakRequest,
} from './dto/reconciliations.request.js';
import { ReconciliationBreaksService } from './reconciliation-breaks.service.js';
import { toReconciliationLineResponse, toReconciliationResponse } from './reconciliation.mapper.js';
import { ReconciliationsService } from './reconciliations.service.js';

const Id = () => IdParam('reconciliation', 'RECONCILIATION_NOT_FOUND');
const BreakId = () => IdParam('break', 'RECONCILIATION_BREAK_NOT_FOUND');
const BREAK_REFUSALS: ErrorCode[] = ['RECONCILIATION_BREAK_NOT_FOUND', 'INVALID_STATE'];

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

@Controller('api/admin/reconciliation-breaks')
export class ReconciliationBreaksController {
  constructor(
    private readonly breaks: ReconciliationBreaksService,
    private readonly stepUps: StepUps,
  ) {}

  @Post(':id/assign')
  @AdminRoute('transactions:write', {
    summary: 'Assign a break to an admin',
    data: ReconciliationLineResponse,
    errors: [...BREAK_REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async assign(
    @BreakId() id: string,
    @Body() { owner }: AssignBreakRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineResponse> {
    return toReconciliationLineResponse(await this.breaks.assign(id, owner, admin));
  }

  @Post(':id/propose')
  @AdminRoute('transactions:write', {
    summary: 'Propose a resolution of an assigned break, which another admin confirms',
    data: ReconciliationLineResponse,
    errors: [...BREAK_REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async propose(
    @BreakId() id: string,
    @Body() body: ProposeResolutionRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineResponse> {
    return toReconciliationLineResponse(await this.breaks.propose(id, body, admin));
  }

  @Post(':id/confirm')
  @AdminRoute('transactions:write', {
    summary: 'Confirm the resolution that another admin has proposed',
    data: ReconciliationLineResponse,
    stepUp: true,
    errors: [...BREAK_REFUSALS, 'FOUR_EYES_REQUIRED'],
  })
  async confirm(
    @BreakId() id: string,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<ReconciliationLineResponse> {
    const check = this.stepUps.checkOf(admin, token, 'approval.approve');
    return toReconciliationLineResponse(await this.breaks.confirm(id, admin, check));
  }

  @Post(':id/reopen')
  @AdminRoute('transactions:write', {
    summary: 'Reopen a break: its assignment and its proposed resolution are removed',
    data: ReconciliationLineResponse,
    errors: [...BREAK_REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reopen(
    @BreakId() id: string,
    @Body() { reason }: ReopenBreakRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineResponse> {
    return toReconciliationLineResponse(await this.breaks.reopen(id, reason, admin));
  }
}
