import { Controller, Post } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { LiveTicketResponse } from './dto/live.response.js';
import { TICKET_SECONDS } from './live.constants.js';
import { TicketsService } from './tickets.service.js';
import { toResponse } from '../../../http/response/to-response.js';

@Controller('api/user/live')
export class LiveTicketsController {
  constructor(private readonly tickets: TicketsService) {}

  @Post('ticket')
  @UserRoute({
    operationId: 'createLiveTicket',
    summary: `A ticket that opens one WebSocket connection to /api/live within ${TICKET_SECONDS} seconds`,
    status: 201,
    scope: 'any',
    data: LiveTicketResponse,
  })
  async issue(@CurrentUser() user: UserPrincipal): Promise<LiveTicketResponse> {
    return toResponse(LiveTicketResponse, await this.tickets.issueTicket(user));
  }
}
