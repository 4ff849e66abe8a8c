import type pg from 'pg';
import { SessionClient } from '../database/session-settings.js';
import { type CommitHorizon, oldestXidSql, takeHorizonSql, WaitingHorizons } from './commit-horizons.js';

const CONNECTION_TIMEOUT_MS = 900;
const STATEMENT_TIMEOUT_MS = 1500;
/** PostgreSQL ends a slow statement. If there is no answer this long after that, the call fails, and its caller ends the session. */
const ANSWER_MARGIN_MS = 300;
/** Above the number of every event. */
const MAX_NUMBER = '9223372036854775807';

// $1: the number that the session's newest horizon covers; $2: ids of transactions that write no event. Without newer events the
// statement takes no horizon and no transaction id. The largest number, at the end of the index, shows whether there are newer events:
// with `exists` PostgreSQL would scan the table from its beginning. "oldestXid" is read before the horizon's id is assigned: if both are
// equal, no other transaction was open, and the horizon is reached at once.
const HAS_NEWER_EVENTS = '(select max(number) from domain_event) > $1::bigint';
const check = (survivesCrash: boolean) => `
  select "oldestXid", taken.sequence, taken.xid
    from (select ${oldestXidSql('$2')} as "oldestXid") as snapshot
    left join (${takeHorizonSql('domain_event_number', HAS_NEWER_EVENTS, { survivesCrash })}) as taken on true`;
export const CHECK = check(false);
const LASTING_CHECK = check(true);

const LEAD = `select pg_try_advisory_lock(hashtextextended('event dispatcher', 0)) as "isLeader"`;

// The server ends the session, and its lock, within seconds after the machine of this process has vanished, or after the process has
// stopped sending a poll each second.
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

/** `sequence` and `xid` are null if no horizon was taken. */
type CheckRow = { readonly oldestXid: string } & (
  CommitHorizon | { readonly sequence: null; readonly xid: null }
);

interface SessionOptions {
  readonly url: string;
  /** True behind a pooler: the session may change with each statement, and its end is not reported. */
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
    const client = new SessionClient({
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

  /**
   * Takes a horizon of newer events, and finds out with the same statement which horizons are reached. `ignoredXids`: ids of
   * transactions that write no event.
   */
  async getReachedEvents(ignoredXids: readonly string[] = []): Promise<ReachedEvents> {
    const wasFull = this.horizons.isFull;
    const { oldestXid, sequence, xid } = await this.check(ignoredXids);
    if (sequence !== null) {
      this.horizons.addHorizon({ sequence, xid });
      this.lastTaken = sequence;
    }
    const reached = this.horizons.removeReached(oldestXid);
    return { reached, isWaiting: wasFull || !this.horizons.isEmpty };
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  private async check(ignoredXids: readonly string[]): Promise<CheckRow> {
    const newest = this.horizons.isFull ? MAX_NUMBER : this.lastTaken;
    const statement = this.isPooled ? { text: LASTING_CHECK } : { name: 'check', text: CHECK }; // a named one is parsed once
    const { rows } = await this.client.query<CheckRow>({ ...statement, values: [newest, ignoredXids] });
    return rows[0] as CheckRow;
  }
}
