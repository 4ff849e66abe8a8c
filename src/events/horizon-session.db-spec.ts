import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { QueryPlans, rowsExamined } from '../../test/harness/query-plans.js';
import { CHECK } from './horizon-session.repository.js';

const EVENTS = 5_000;

describe('The search for newer events', () => {
  let database: TestDatabase;
  let plans: QueryPlans;

  beforeAll(async () => {
    database = await freshDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `insert into domain_event (id, type, at, data)
       select gen_random_uuid(), 'test', now(), '{}' from generate_series(1, ${EVENTS})`,
    );
    await client.query('analyze domain_event');
    await client.end();
    // As the prepared statement of the dispatcher, whose plan does not depend on the numbers.
    plans = await QueryPlans.connect(database.url, 'plan_cache_mode = force_generic_plan');
    await plans.prepare('check_events', CHECK);
  });
  afterAll(async () => {
    await plans?.end();
    await database?.drop();
  });

  it.each([
    ['without a newer event', 0],
    ['with one newer event', 1],
  ])('reads the last event alone among thousands, %s', async (_case, newer) => {
    const text = `execute check_events(${EVENTS - newer}, '{}')`;
    const nodes = await plans.nodesOf({ text, values: [] }, { analyze: true });
    const read = nodes.filter((node) => node['Relation Name'] === 'domain_event').map(rowsExamined);
    expect(read).toEqual([1]);
  });
});
