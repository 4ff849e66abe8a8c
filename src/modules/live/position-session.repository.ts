import pg from 'pg';
import {
  COMMIT_WITHOUT_FLUSH_SQL,
  type CommitHorizon,
  OLDEST_XID_SQL,
  REACHED_SEQUENCE_SQL,
  takeHorizonSql,
  WaitingHorizons,
} from '../../database/commit-horizons.js';
import { NOTIFICATION_CHANNEL } from '../../database/pg-notifications.js';
import { POSITIONED_TOPIC } from './live.constants.js';

const CONNECTION_TIMEOUT_MS = 900;
const STATEMENT_TIMEOUT_MS = 1800;
/**
 * The server closes a session that sends nothing for this long, which frees the lock of a process that hangs. A healthy process
 * sends a statement every 250 ms.
 */
const IDLE_SESSION_MS = 700;
const BATCH_ROWS = 1000;

// $1 is the number of the last horizon. Without newer events that lack a position, it returns no row and takes no transaction id.
const TAKE_HORIZON = takeHorizonSql(
  'live_event_sequence',
  'exists (select from live_event where position is null and sequence > $1::bigint)',
  { withoutFlush: true },
);

// Gives positions up to a reached horizon only: no event with a smaller number can be committed any more.
const ASSIGN_POSITIONS = `
  with ready as materialized (
    select id from live_event where position is null and sequence <= ${REACHED_SEQUENCE_SQL}
     order by sequence limit ${BATCH_ROWS}
  ), numbered as materialized (
    select id, nextval('live_event_position') as position from ready
  ), assigned as (
    update live_event set position = numbered.position from numbered where live_event.id = numbered.id
    returning live_event.position
  )
  select (select count(*) from assigned)::int as assigned, ${OLDEST_XID_SQL} as "oldestXid"`;

const NOTIFY_OF_POSITIONS = `
  select pg_notify('${NOTIFICATION_CHANNEL}', '${POSITIONED_TOPIC}:'), ${COMMIT_WITHOUT_FLUSH_SQL}`;

export interface AssignedPositions {
  readonly assigned: number;
  /** True while events wait for the end of a transaction, or for the next batch. */
  readonly hasMore: boolean;
}

/** A direct session with the database, not through a pooler. It can hold the lock that giving positions needs. */
export class PositionSession {
  private readonly horizons = new WaitingHorizons();

  private constructor(private readonly client: pg.Client) {}

  /** Calls `onLost` when the session has ended, also if it was never established. */
  static async connect(url: string, onLost: (session: PositionSession) => void): Promise<PositionSession> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'stablecoin-platform live',
    });
    const session = new PositionSession(client);
    client.on('error', () => onLost(session));
    client.on('end', () => onLost(session));
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${IDLE_SESSION_MS}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    return session;
  }

  /** True if this session holds the lock now. */
  async tryLock(): Promise<boolean> {
    const { rows } = await this.client.query<{ isLocked: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('live-positions', 0)) as "isLocked"`,
    );
    return rows[0]?.isLocked === true;
  }

  /** Only for the session that holds the lock. */
  async assignPositions(): Promise<AssignedPositions> {
    if (!this.horizons.isFull) await this.takeHorizon();
    if (this.horizons.isEmpty) return { assigned: 0, hasMore: false };
    const { rows } = await this.client.query<{ assigned: number; oldestXid: string }>({
      name: 'assign_positions', // a named statement is parsed and planned once per session
      text: ASSIGN_POSITIONS,
      values: this.horizons.parameters,
    });
    const { assigned, oldestXid } = rows[0] as { assigned: number; oldestXid: string };
    // After a full batch, further events up to a reached horizon may be left.
    if (assigned < BATCH_ROWS) this.horizons.removeReached(oldestXid);
    return { assigned, hasMore: assigned === BATCH_ROWS || !this.horizons.isEmpty };
  }

  private async takeHorizon(): Promise<void> {
    const { rows } = await this.client.query<CommitHorizon>({
      name: 'take_horizon',
      text: TAKE_HORIZON,
      values: [this.horizons.lastSequence],
    });
    for (const horizon of rows) this.horizons.addHorizon(horizon);
  }

  async notifyOfPositions(): Promise<void> {
    await this.client.query(NOTIFY_OF_POSITIONS);
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
