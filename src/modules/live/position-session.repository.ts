import pg from 'pg';

const TIMEOUT_MS = 900;
/** The server ends the session of a process that hangs, and its lock with it. The holder sends a statement more often. */
const IDLE_SESSION_MS = 700;
const BATCH_ROWS = 1000;

/** Topic of the notification that events have got their positions. */
export const POSITIONED_TOPIC = 'live-positioned';

// The positions follow the sequence within a batch. A transaction below the oldest one that still writes has ended, so that
// no later batch can contain an event that belongs before. Rows of a restored backup may name transactions of the future.
const ASSIGN_POSITIONS = `
  with ready as materialized (
    select id from live_event
     where position is null
       and (writer < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
            or writer >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
     order by sequence limit ${BATCH_ROWS}
  ), numbered as materialized (
    select id, nextval('live_event_position') as position from ready
  ), assigned as (
    update live_event set position = numbered.position from numbered where live_event.id = numbered.id
    returning live_event.position
  )
  select (select count(*) from assigned)::int as assigned,
         (select count(*) from (select from live_event where position is null limit ${2 * BATCH_ROWS}) as open)::int
           - (select count(*) from assigned)::int as waiting`;

export interface AssignedPositions {
  readonly assigned: number;
  /** Events whose positions wait for the end of a transaction. */
  readonly waiting: number;
}

/** A direct session with the database, not through a pooler, that can hold the lock for giving positions. */
export class PositionSession {
  private constructor(private readonly client: pg.Client) {}

  static async connect(url: string, onLost: () => void): Promise<PositionSession> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: 2 * TIMEOUT_MS,
      application_name: 'stablecoin-platform live',
    });
    client.on('error', onLost);
    client.on('end', onLost);
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${IDLE_SESSION_MS}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    return new PositionSession(client);
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
    const { rows } = await this.client.query<AssignedPositions>(ASSIGN_POSITIONS);
    return rows[0] as AssignedPositions;
  }

  async notifyOfPositions(): Promise<void> {
    await this.client.query(`select pg_notify('platform_notice', '${POSITIONED_TOPIC}:')`);
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
