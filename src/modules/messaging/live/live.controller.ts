import { Controller, Get, Head, Post } from '@nestjs/common';
import {
  CurrentAdmin,
  CurrentUser,
  type AdminPrincipal,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { AdminRoute, PublicRoute, UserRoute } from '../../../http/auth/route.js';
import { toResponse } from '../../../http/response/to-response.js';
import { failHandshake } from './upgrades.service.js';
import { LiveTicketResponse, WebsocketStatusResponse } from './dto/live.response.js';
import { EventDeliveryService, type LiveState } from './event-delivery.service.js';
import { LIVE_PATH, TICKET_SECONDS } from './live.types.js';
import { TicketsService } from './tickets.service.js';

// Each @Head handler is declared before the @Get handler of its path: Express serves HEAD with the first match.

@Controller('api')
export class LiveController {
  constructor(private readonly delivery: EventDeliveryService) {}

  @Head('blockchain/websocket/status')
  @PublicRoute({ summary: 'The headers of the response to GET' })
  statusHeaders(): WebsocketStatusResponse {
    return this.status();
  }

  @Get('blockchain/websocket/status')
  @PublicRoute({ summary: 'The live delivery of this process', data: WebsocketStatusResponse })
  status(): WebsocketStatusResponse {
    return toWebsocketStatusResponse(this.delivery.state);
  }

  @Get('live')
  @PublicRoute({
    operationId: 'openLiveConnection',
    summary: 'Open a WebSocket that receives events; a request without the handshake is refused',
    status: 101,
    ignoresQuery: true, // the upgrade reads it
    errors: ['VALIDATION_ERROR'],
  })
  open(): never {
    return failHandshake();
  }
}

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

function toWebsocketStatusResponse(state: LiveState): WebsocketStatusResponse {
  return {
    enabled: state.isEnabled,
    status: state.isEnabled ? 'available' : 'unavailable',
    message: state.isEnabled
      ? 'Ask POST /api/user/live/ticket for a ticket and open a WebSocket at the path.'
      : 'This process has no live delivery. Poll the lists, or use webhooks.',
    path: LIVE_PATH,
    connections: state.connections,
    delivered: state.delivered,
    oldestUndeliveredMs: Math.round(state.oldestUndeliveredMs),
  };
}
