import { DataSource } from 'typeorm';
import { EventLogRepository } from '../../../src/events/event-log.repository.js';
import { LiveRepository } from '../../../src/modules/messaging/live/live.repository.js';
import type { Audience } from '../../../src/modules/messaging/live/live.types.js';
import { freshDatabase, type TestDatabase } from '../../harness/database.js';
import { statementsDuring } from '../../harness/queries.js';
import { QueryPlans, rowsExamined } from '../../harness/query-plans.js';

const EVENTS = 5000;
const LIMIT = 10;
const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER };
const ADMIN: Audience = { type: 'admin', id: 'a', email: 'a@example.org', topics: null, permissions: null };

describe('A page of events', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await dataSource.query(
      `insert into domain_event (id, type, at, data, written_at)
       select gen_random_uuid(), 'alert.raised', now(), '{}', now() - interval '1 hour' from generate_series(1, $1)`,
      [EVENTS],
    );
    await dataSource.query('analyze domain_event');
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it.each<[string, (log: EventLogRepository, live: LiveRepository) => Promise<unknown>]>([
    ['consumers', (log) => log.findPage(ALL, LIMIT)],
    ['live delivery', (log) => log.findPageWithBalances(ALL, LIMIT)],
    ['the feed', (log) => log.findPageOfTypes(ALL, ['alert.raised'], LIMIT)],
    ['a live replay', (_log, live) => live.findPageOfAudience(ADMIN, ALL, LIMIT)],
    ['the start of a process', (log) => log.getNumberBeforeOpenTransactions()],
  ])('for %s is read by an index, without the events behind it', async (_reader, find) => {
    const [statement] = await statementsDuring(() =>
      find(new EventLogRepository(dataSource), new LiveRepository(dataSource)),
    );
    const plans = await QueryPlans.connect(database.url);
    const nodes = await plans.nodesOf(statement as NonNullable<typeof statement>, { analyze: true });
    await plans.end();
    const scans = nodes.filter((node) => node['Relation Name'] === 'domain_event');
    expect(scans).not.toHaveLength(0);
    expect(Math.max(...scans.map(rowsExamined))).toBeLessThanOrEqual(LIMIT);
  });
});
