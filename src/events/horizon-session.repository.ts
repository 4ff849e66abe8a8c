import pg from 'pg';
import {
  type CommitHorizon,
  OLDEST_XID_SQL,
  REACHED_SEQUENCE_SQL,
  takeHorizonSql,
  WaitingHorizons,
} from './commit-horizons.js';

const CONNECTION_TIMEOUT_MS = 900;
const STATEMENT_TIMEOUT_MS = 1500;
/** PostgreSQL ends a slow statement. Without an answer so much later the call fails, and its caller ends the session. */
const ANSWER_MARGIN_MS = 300;

// $1: the number that the session's newest horizon covers. Without newer events the statement returns no row and takes no
// transaction id.
const takeHorizon = (survivesCrash: boolean) =>
  takeHorizonSql('domain_event_number', 'exists (select from domain_event where number > $1::bigint)', {
    survivesCrash,
  });
const TAKE_HORIZON = takeHorizon(false);
const TAKE_LASTING_HORIZON = takeHorizon(true);

const FIND_REACHED = `select coalesce(${REACHED_SEQUENCE_SQL}, 0)::float8 as reached, ${OLDEST_XID_SQL} as "oldestXid"`;

const LEAD = `select pg_try_advisory_lock(hashtextextended('event dispatcher', 0)) as "isLeader"`;

// The server ends the session, and its lock, within seconds after the machine of this process has vanished or the process has
// stopped to send its poll of each second.
const KEEPALIVES = `
  select set_config(name, value, false)
    from (values ('tcp_keepalives_idle', '2'), ('tcp_keepalives_interval', '1'), ('tcp_keepalives_count', '3'),
                 ('idle_session_timeout', '10s')) as setting (name, value)`;

export interface ReachedEvents {
  /** No event with this number or a smaller one can be committed any more. 0 if no horizon was reached since the last call. */
  readonly reached: number;
  /** True while newer events wait for the end of a transaction. */
  readonly isWaiting: boolean;
}

interface SessionOptions {
  readonly url: string;
  /** The session may change with each statement, and its end is not reported: a pooler is between. */
  readonly isPooled: boolean;
  /** Called when the session has ended, also by `end` or if it was never established; possibly twice. */
  readonly onLost: (session: HorizonSession) => void;
}

/**
 * A session with the database, and the commit horizons of events that it has taken. The horizons end with the session, since
 * after a crash the database may give their numbers and transaction ids again; behind a pooler they are written to survive it.
 */
export class HorizonSession {
  private readonly horizons = new WaitingHorizons();
  private lastTaken = '0';
  private hasLock = false;

  private constructor(
    private readonly client: pg.Client,
    private readonly isPooled: boolean,
  ) {}

  static async connect({ url, isPooled, onLost }: SessionOptions): Promise<HorizonSession> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      ...(isPooled ? {} : { statement_timeout: STATEMENT_TIMEOUT_MS }),
      query_timeout: STATEMENT_TIMEOUT_MS + ANSWER_MARGIN_MS,
      application_name: 'stablecoin-platform events',
    });
    const session = new HorizonSession(client, isPooled);
    client.on('error', () => onLost(session));
    client.on('end', () => onLost(session));
    try {
      await client.connect();
      if (!isPooled) await client.query(KEEPALIVES);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    return session;
  }

  /** True in one process at a time. Behind a pooler, which has no locks of sessions, in every process. */
  async lead(): Promise<boolean> {
    if (this.isPooled || this.hasLock) return true;
    const { rows } = await this.client.query<{ isLeader: boolean }>(LEAD);
    this.hasLock = rows[0]?.isLeader ?? false;
    return this.hasLock;
  }

  async findReachedEvents(): Promise<ReachedEvents> {
    if (!this.horizons.isFull) await this.takeHorizon();
    if (this.horizons.isEmpty) return { reached: 0, isWaiting: false };
    const [row] = await this.query<{ reached: number; oldestXid: string }>(
      'find_reached',
      FIND_REACHED,
      this.horizons.parameters,
    );
    const { reached, oldestXid } = row as { reached: number; oldestXid: string };
    this.horizons.removeReached(oldestXid);
    return { reached, isWaiting: !this.horizons.isEmpty };
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  private async takeHorizon(): Promise<void> {
    const text = this.isPooled ? TAKE_LASTING_HORIZON : TAKE_HORIZON;
    for (const horizon of await this.query<CommitHorizon>('take_horizon', text, [this.lastTaken])) {
      this.horizons.addHorizon(horizon);
      this.lastTaken = horizon.sequence;
    }
  }

  /** A named statement is parsed once per session. */
  private async query<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await this.client.query<Row>({ ...(this.isPooled ? {} : { name }), text, values });
    return rows;
  }
}
