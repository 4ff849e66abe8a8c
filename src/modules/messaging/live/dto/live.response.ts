import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  StringField,
} from '../../../../http/openapi/fields.js';
import { TICKET_SECONDS } from '../live.constants.js';

export class LiveTicketResponse {
  @StringField({ description: 'opens one connection to /api/live?ticket=…' }) ticket!: string;
  @InstantField({ description: `in ${TICKET_SECONDS} seconds` }) expiresAt!: string;
}

export class WebsocketStatusResponse {
  @BooleanField({ description: 'false: this process accepts no connections' }) enabled!: boolean;
  @EnumField(['available', 'unavailable']) status!: string;
  @StringField({ description: 'how to connect, or the routes to use instead' }) message!: string;
  @StringField({ example: '/api/live' }) path!: string;
  @IntegerField({ description: 'open connections of this process' }) connections!: number;
  @IntegerField({ description: 'events that this process has sent since its start' }) delivered!: number;
  @IntegerField({
    description: 'age of the oldest event that is not delivered yet, in milliseconds; 0 without one',
  })
  oldestUndeliveredMs!: number;
}
