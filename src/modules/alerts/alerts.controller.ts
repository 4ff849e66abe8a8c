import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { AlertView, alertView } from './dto/alert.response.js';
import { AlertsQuery, ResolveAlertDto } from './dto/alerts.request.js';
import { AlertQueries } from './alerts.queries.js';
import { Alerts } from './alerts.service.js';

@Controller('api/admin/alerts')
export class AlertsController {
  constructor(
    private readonly alerts: Alerts,
    private readonly queries: AlertQueries,
  ) {}

  @Get()
  @AdminRoute('withdrawals:read', {
    summary: 'Alerts for operators with the recommended next step, the newest first; open alerts by default',
    data: [AlertView],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: AlertsQuery): Promise<Answer<AlertView[]>> {
    const { rows, total } = await this.queries.list(query);
    return new Answer(rows.map(alertView), { pagination: { ...paginate(query.page, query.limit, total) } });
  }

  @Post(':id/resolve')
  @AdminRoute('withdrawals:approve', {
    summary: 'Resolve an alert with the reason',
    data: AlertView,
    errors: ['ALERT_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async resolve(
    @Param('id', new IdPipe('ALERT_NOT_FOUND')) id: string,
    @Body() { reason }: ResolveAlertDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AlertView> {
    return alertView(await this.alerts.resolve(id, reason, admin));
  }
}
