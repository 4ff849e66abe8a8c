import { Controller, Post } from '@nestjs/common';
import {
  CurrentAdmin,
  CurrentUser,
  type AdminPrincipal,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { AdminRoute, UserRoute } from '../../../http/auth/route.js';
import { LiveTicketResponse } from './dto/live.response.js';
import { TICKET_SECONDS } from './live.constants.js';
import { TicketsService } from './tickets.service.js';
import { toResponse } from '../../../http/response/to-response.js';

const TICKET = {
  operationId: 'createLiveTicket',
  summary: `A ticket that opens one WebSocket connection to /api/live within ${TICKET_SECONDS} seconds`,
  status: 201,
  data: LiveTicketResponse,
} as const;

@Controller('api/user/live')
export class LiveTicketsController {
  constructor(private readonly tickets: TicketsService) {}

  @Post('ticket')
  @UserRoute({ ...TICKET, scope: 'any' })
  async issue(@CurrentUser() user: UserPrincipal): Promise<LiveTicketResponse> {
    return toResponse(LiveTicketResponse, await this.tickets.issueTicket(user));
  }
}

@Controller('api/admin/live')
export class AdminLiveTicketsController {
  constructor(private readonly tickets: TicketsService) {}

  @Post('ticket')
  @AdminRoute(null, TICKET)
  async issue(@CurrentAdmin() admin: AdminPrincipal): Promise<LiveTicketResponse> {
    return toResponse(LiveTicketResponse, await this.tickets.issueTicket(admin));
  }
}
