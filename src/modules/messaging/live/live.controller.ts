import { Controller, Get, Head } from '@nestjs/common';
import { PublicRoute } from '../../../http/auth/route.js';
import { failHandshake } from './domain/handshake.js';
import { WebsocketStatusResponse } from './dto/live.response.js';
import { LiveStateService } from './live-state.service.js';
import { toWebsocketStatusResponse } from './live.mapper.js';

// Each @Head handler is declared before the @Get handler of its path: Express serves HEAD with the first match.

@Controller('api')
export class LiveController {
  constructor(private readonly live: LiveStateService) {}

  @Head('blockchain/websocket/status')
  @PublicRoute({ summary: 'The headers of the response to GET' })
  statusHeaders(): WebsocketStatusResponse {
    return this.status();
  }

  @Get('blockchain/websocket/status')
  @PublicRoute({ summary: 'The live delivery of this process', data: WebsocketStatusResponse })
  status(): WebsocketStatusResponse {
    return toWebsocketStatusResponse(this.live.state);
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
