import pg from 'pg';
import {
  type CommitHorizon,
  OLDEST_XID_SQL,
  REACHED_SEQUENCE_SQL,
  takeHorizonSql,
  WaitingHorizons,
} from '../../events/commit-horizons.js';

const CONNECTION_TIMEOUT_MS = 900;
const STATEMENT_TIMEOUT_MS = 1500;
/** PostgreSQL ends a slow statement. Without an answer so much later the call fails, and its caller ends the session. */
const ANSWER_MARGIN_MS = 300;

// $1: the number up to which events are delivered or covered by an earlier horizon. Without newer events the statement
// returns no row and takes no transaction id.
const TAKE_HORIZON = takeHorizonSql(
  'live_event_sequence',
  'exists (select from live_event where sequence > $1::bigint)',
);

const FIND_REACHED = `select coalesce(${REACHED_SEQUENCE_SQL}, 0)::float8 as reached, ${OLDEST_XID_SQL} as "oldestXid"`;

export interface ReachedEvents {
  /** No event with this number or a smaller one can be committed any more. 0 if no horizon was reached since the last call. */
  readonly reached: number;
  /** True while newer events wait for the end of a transaction. */
  readonly isWaiting: boolean;
}

/**
 * A direct session with the database, not through a pooler, and the commit horizons of live events that it has taken. The
 * horizons end with the session, since after a crash the database may give their numbers and transaction ids again.
 */
export class HorizonSession {
  private readonly horizons = new WaitingHorizons();

  private constructor(private readonly client: pg.Client) {}

  /** Calls `onLost` when the session has ended, also by `end` or if it was never established; possibly twice. */
  static async connect(url: string, onLost: (session: HorizonSession) => void): Promise<HorizonSession> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + ANSWER_MARGIN_MS,
      application_name: 'stablecoin-platform live',
    });
    const session = new HorizonSession(client);
    client.on('error', () => onLost(session));
    client.on('end', () => onLost(session));
    try {
      await client.connect();
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    return session;
  }

  /** `delivered`: the number of the last event that needs no delivery any more. */
  async findReachedEvents(delivered: number): Promise<ReachedEvents> {
    if (!this.horizons.isFull)
      await this.takeHorizon(Math.max(delivered, Number(this.horizons.lastSequence)));
    if (this.horizons.isEmpty) return { reached: 0, isWaiting: false };
    const { rows } = await this.client.query<{ reached: number; oldestXid: string }>({
      name: 'find_reached', // a named statement is parsed once per session
      text: FIND_REACHED,
      values: this.horizons.parameters,
    });
    const { reached, oldestXid } = rows[0] as { reached: number; oldestXid: string };
    this.horizons.removeReached(oldestXid);
    return { reached, isWaiting: !this.horizons.isEmpty };
  }

  private async takeHorizon(after: number): Promise<void> {
    const { rows } = await this.client.query<CommitHorizon>({
      name: 'take_horizon',
      text: TAKE_HORIZON,
      values: [after],
    });
    for (const horizon of rows) this.horizons.addHorizon(horizon);
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
