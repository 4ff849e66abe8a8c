import pg from 'pg';
import {
  COMMIT_WITHOUT_FLUSH_SQL,
  WaitingCuts,
  COMPLETE_UP_TO_SQL,
  type Cut,
  OLDEST_XID_SQL,
  takeCutSql,
} from '../../database/committed-cuts.js';
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

// $1 is the number of the last cut. Without newer events that lack a position, it returns no row and takes no transaction id.
const TAKE_CUT = takeCutSql(
  'live_event_sequence',
  'exists (select from live_event where position is null and sequence > $1::bigint)',
  { withoutFlush: true },
);

// Gives positions up to a complete cut only: no event with a smaller number can be committed any more.
const ASSIGN_POSITIONS = `
  with ready as materialized (
    select id from live_event where position is null and sequence <= ${COMPLETE_UP_TO_SQL}
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

/** A direct session with the database, not through a pooler, that can hold the lock for giving positions. */
export class PositionSession {
  private readonly cuts = new WaitingCuts();

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
    if (!this.cuts.areFull) await this.takeCut();
    if (!this.cuts.areWaiting) return { assigned: 0, hasMore: false };
    const { rows } = await this.client.query<{ assigned: number; oldestXid: string }>({
      name: 'assign_positions', // a named statement is parsed and planned once per session
      text: ASSIGN_POSITIONS,
      values: this.cuts.parameters,
    });
    const { assigned, oldestXid } = rows[0] as { assigned: number; oldestXid: string };
    // After a full batch, further events up to the cut may be left.
    if (assigned < BATCH_ROWS) this.cuts.dropComplete(oldestXid);
    return { assigned, hasMore: assigned === BATCH_ROWS || this.cuts.areWaiting };
  }

  private async takeCut(): Promise<void> {
    const { rows } = await this.client.query<Cut>({
      name: 'take_cut',
      text: TAKE_CUT,
      values: [this.cuts.lastSequence],
    });
    for (const cut of rows) this.cuts.addCut(cut);
  }

  async notifyOfPositions(): Promise<void> {
    await this.client.query(NOTIFY_OF_POSITIONS);
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
