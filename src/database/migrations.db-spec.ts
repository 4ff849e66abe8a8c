import { DataSource } from 'typeorm';
import { freshDatabase } from '../../test/harness/database.js';
import { openDatabase } from './data-source.js';
import { migrationsFromFiles } from './migrations.js';

class Slow0000000000999 {
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('select pg_sleep(0.6)');
    await runner.query('create table made_slowly (id integer)');
  }
  async down(): Promise<void> {}
}

it('runs migrations without the time-outs of requests, and once when processes start together', async () => {
  const database = await freshDatabase();
  const lines: string[] = [];
  const start = (): Promise<DataSource> =>
    openDatabase(
      {
        ...{ type: 'postgres', url: database.url, extra: { statement_timeout: 300, lock_timeout: 100 } },
        migrations: [...migrationsFromFiles(), Slow0000000000999],
      },
      (line) => lines.push(line),
    );
  const replicas = await Promise.all([start(), start()]);
  expect(lines).toEqual(['database: 1 migration(s) done']);
  const [{ timeout }] = (await replicas[0].query('select current_setting($1) as timeout', [
    'statement_timeout',
  ])) as [{ timeout: string }];
  expect(timeout).toBe('300ms'); // requests stay in a hurry
  await Promise.all(replicas.map((replica) => replica.destroy()));
  await database.drop();
});
