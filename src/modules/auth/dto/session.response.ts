import { Choice, Count, Flag, Instant, Text, Uuid } from '../../../http/openapi/fields.js';
import { SESSION_KINDS } from '../auth.types.js';

export class SessionResponse {
  @Uuid({ description: 'of the sign-in; refreshing a token keeps it' })
  id!: string;
  @Choice(SESSION_KINDS, { description: 'where the access token is kept' })
  kind!: string;
  @Instant({ description: 'of the sign-in' })
  createdAt!: string;
  @Instant({ description: 'of the last request with a token of it, exact to a minute' })
  lastSeenAt!: string;
  @Text({
    description: 'the header User-Agent of the sign-in, at most 120 characters; empty if there was none',
    example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  device!: string;
  @Flag({ description: 'the session of this request' })
  current!: boolean;
}

export class EndedSessionsResponse {
  @Count({ description: 'sessions that were ended' })
  ended!: number;
}
