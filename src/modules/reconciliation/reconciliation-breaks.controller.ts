import { Body, Controller, Param, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { ReconciliationBreaks } from './reconciliation-breaks.service.js';
import { ReconciliationLineView, reconciliationLineView } from './dto/reconciliation.response.js';
import { AssignBreakDto, ProposeResolutionDto, ReopenBreakDto } from './dto/reconciliations.request.js';

const Id = () => Param('id', new IdPipe('RECONCILIATION_BREAK_NOT_FOUND'));
const REFUSALS: ErrorCode[] = ['RECONCILIATION_BREAK_NOT_FOUND', 'INVALID_STATE'];

@Controller('api/admin/reconciliation-breaks')
export class ReconciliationBreaksController {
  constructor(private readonly breaks: ReconciliationBreaks) {}

  @Post(':id/assign')
  @AdminRoute('transactions:write', {
    summary: 'Assign a break to an admin',
    data: ReconciliationLineView,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async assign(
    @Id() id: string,
    @Body() { owner }: AssignBreakDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineView> {
    return reconciliationLineView(await this.breaks.assign(id, owner, admin));
  }

  @Post(':id/propose')
  @AdminRoute('transactions:write', {
    summary: 'Propose a resolution of an assigned break, which another admin confirms',
    data: ReconciliationLineView,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async propose(
    @Id() id: string,
    @Body() body: ProposeResolutionDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineView> {
    return reconciliationLineView(await this.breaks.propose(id, body, admin));
  }

  @Post(':id/confirm')
  @AdminRoute('transactions:write', {
    summary: 'Confirm the resolution that another admin has proposed',
    data: ReconciliationLineView,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED'],
  })
  async confirm(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<ReconciliationLineView> {
    return reconciliationLineView(await this.breaks.confirm(id, admin));
  }

  @Post(':id/reopen')
  @AdminRoute('transactions:write', {
    summary: 'Reopen a break: its assignment and its proposed resolution are removed',
    data: ReconciliationLineView,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reopen(
    @Id() id: string,
    @Body() { reason }: ReopenBreakDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineView> {
    return reconciliationLineView(await this.breaks.reopen(id, reason, admin));
  }
}
