import type { DataSource } from 'typeorm';
import { eventually } from '../../harness/eventually.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { storedMessages } from '../../fixtures/live.js';
import { RecordedSubscription } from '../../fixtures/live-subscriptions.js';
import { ADMIN_WITHDRAWALS, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import type { Observed, Observer } from '../mixed-load/mixed-load.js';

const CHECKPOINT = '/api/proofs/checkpoint';
const DELIVERED_MS = 120_000; // long, because the machine may be busy

/** The tables of the records that are read, with the statuses that a record has had. */
const STATUSES = {
  withdrawal: `select withdrawal_id::text as id, array_agg(distinct status) as statuses from withdrawal_event group by 1`,
  investment: `select id::text, array[]::text[] as statuses from investment`,
  deposit: `select id::text, array[]::text[] as statuses from deposit`,
};
type Kind = keyof typeof STATUSES;

/** Reads lists of operators and users, and notes each id and status: a payment on chain may follow from what an operator has seen. */
export class SeenRecords implements Observer {
  /** The seen statuses by kind and id; empty for investments and deposits, because the database stores only their newest status. */
  private readonly seen = new Map<string, Set<string>>();
  readonly counts = { records: 0, processing: 0 };

  constructor(
    private readonly observed: Observed,
    private readonly random: SeededRandom,
  ) {}

  async act(): Promise<void> {
    const { adminToken, users } = this.observed;
    const { token } = this.random.oneOf(users);
    await this.random.oneOf([
      () => this.read('withdrawal', adminToken, `${ADMIN_WITHDRAWALS}?status=processing&limit=100`),
      () => this.read('withdrawal', adminToken, `${ADMIN_WITHDRAWALS}?limit=50`),
      () => this.read('withdrawal', token, `${USER_WITHDRAWALS}?limit=50`),
      () => this.read('investment', token, '/api/user/investments?limit=50'),
      () => this.read('deposit', token, '/api/user/deposits?limit=50'),
    ])();
  }

  async findDifferences(dataSource: DataSource): Promise<string[]> {
    const stored = new Map<string, Set<string>>();
    for (const kind of Object.keys(STATUSES) as Kind[])
      for (const { id, statuses } of await dataSource.query<{ id: string; statuses: string[] }[]>(
        STATUSES[kind],
      ))
        stored.set(`${kind} ${id}`, new Set(statuses));
    return [...this.seen].flatMap(([name, statuses]) => {
      const known = stored.get(name);
      if (!known) return [`seen and then gone: ${name}`];
      return [...statuses]
        .filter((status) => !known.has(status))
        .map((status) => `seen and then gone: ${name} ${status}`);
    });
  }

  private async read(kind: Kind, token: string, path: string): Promise<void> {
    const { data } = await this.observed.client.read({ token, method: 'GET', path });
    for (const { id, status } of (data.requests ?? data) as { id: string; status: string }[]) {
      const name = `${kind} ${id}`;
      const statuses = this.seen.get(name) ?? new Set<string>();
      if (!this.seen.has(name)) this.counts.records += 1;
      this.seen.set(name, statuses);
      if (kind !== 'withdrawal') continue;
      if (status === 'processing' && !statuses.has(status)) this.counts.processing += 1;
      statuses.add(status);
    }
  }
}

/** Reads the newest checkpoint of the transparency log. */
export class SeenCheckpoints implements Observer {
  private readonly roots = new Map<number, string>();
  private readonly contradictions: string[] = [];

  constructor(private readonly observed: Observed) {}

  get count(): number {
    return this.roots.size;
  }

  async act(): Promise<void> {
    const { text } = await this.observed.client.read({ token: null, method: 'GET', path: CHECKPOINT });
    const [, size, root = ''] = text.split('\n');
    const former = this.roots.get(Number(size));
    if (former !== undefined && former !== root)
      this.contradictions.push(`two signed roots of ${size} leaves: ${former} and ${root}`);
    this.roots.set(Number(size), root);
  }

  async findDifferences(dataSource: DataSource): Promise<string[]> {
    const rows = await dataSource.query<{ size: number; root: string }[]>(
      `select size::float8 as size, encode(root, 'base64') as root from proof_checkpoint`,
    );
    const stored = new Map(rows.map(({ size, root }) => [size, root]));
    const gone = [...this.roots].filter(([size, root]) => stored.get(size) !== root);
    return [
      ...this.contradictions,
      ...gone.map(([size, root]) => `seen and then gone: the checkpoint of ${size} leaves with root ${root}`),
    ];
  }
}

/** Receives the events of all users, and requires that each has arrived once and in order. */
export class LiveDelivery implements Observer {
  private readonly subscriptions: { userId: string; live: RecordedSubscription }[];

  constructor({ users }: Observed, baseUrl: string) {
    this.subscriptions = users.map(({ id, token }) => ({
      userId: id,
      live: new RecordedSubscription({ baseUrl, token }),
    }));
  }

  get count(): number {
    return this.subscriptions.reduce((sum, { live }) => sum + live.events.length, 0);
  }

  act = (): Promise<void> => Promise.resolve(); // the subscriptions receive by themselves

  async findDifferences(dataSource: DataSource): Promise<string[]> {
    const differences: string[] = [];
    for (const { userId, live } of this.subscriptions) {
      const [first = ''] = live.ids();
      await eventually(async () => {
        const ids = (await storedMessages(dataSource, userId)).map(({ id }) => id);
        expect(live.ids()).toEqual(ids.slice(ids.indexOf(first)));
      }, DELIVERED_MS).catch((error: Error) =>
        differences.push(`live events of ${userId}: ${error.message}`),
      );
      // Before the first event a client has no id to continue from.
      if (live.gaps.some((arrived) => arrived > 0)) differences.push(`live events of ${userId} have a gap`);
      live.subscription.close();
    }
    return differences;
  }
}
