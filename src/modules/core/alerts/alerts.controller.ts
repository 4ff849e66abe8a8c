import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { toAlertResponse } from './alerts.mapper.js';
import { AlertsService } from './alerts.service.js';
import { AlertResponse } from './dto/alert.response.js';
import { AlertsQuery, ResolveAlertRequest } from './dto/alerts.request.js';

@Controller('api/admin/alerts')
export class AlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @Get()
  @AdminRoute('withdrawals:read', {
    summary: 'Alerts for operators with the recommended next step, the newest first; open alerts by default',
    data: [AlertResponse],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: AlertsQuery): Promise<EnvelopedResponse<AlertResponse[]>> {
    const { rows, ...page } = await this.alerts.listAlerts(query);
    return pagedResponse(rows.map(toAlertResponse), query, page);
  }

  @Post(':id/resolve')
  @AdminRoute('withdrawals:approve', {
    summary: 'Resolve an alert with the reason; not for an admin who has acted on its subject',
    data: AlertResponse,
    errors: ['ALERT_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR', 'FOUR_EYES_REQUIRED'],
  })
  async resolve(
    @IdParam('alert', 'ALERT_NOT_FOUND') id: string,
    @Body() { reason }: ResolveAlertRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AlertResponse> {
    return toAlertResponse(await this.alerts.resolve(id, reason, admin));
  }
}
