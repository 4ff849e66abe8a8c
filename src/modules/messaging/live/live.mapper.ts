import type { WebsocketStatusResponse } from './dto/live.response.js';
import type { LiveState } from './live-state.service.js';
import { LIVE_PATH } from './live.constants.js';

export function toWebsocketStatusResponse(state: LiveState): WebsocketStatusResponse {
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
