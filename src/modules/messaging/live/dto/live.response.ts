import { Choice, Count, Flag, Instant, Text } from '../../../../http/openapi/fields.js';
import { TICKET_SECONDS } from '../live.constants.js';

export class LiveTicketResponse {
  @Text({ description: 'opens one connection to /api/live?ticket=…' }) ticket!: string;
  @Instant({ description: `in ${TICKET_SECONDS} seconds` }) expiresAt!: string;
}

export class WebsocketStatusResponse {
  @Flag({ description: 'false: this process accepts no connections' }) enabled!: boolean;
  @Choice(['available', 'unavailable']) status!: string;
  @Text({ description: 'how to connect, or the routes to use instead' }) message!: string;
  @Text({ example: '/api/live' }) path!: string;
  @Count({ description: 'open connections of this process' }) connections!: number;
  @Count({ description: 'events that this process has sent since its start' }) delivered!: number;
  @Count({ description: 'age of the oldest event that is not delivered yet, in milliseconds; 0 without one' })
  oldestUndeliveredMs!: number;
}
