import { DataSource } from 'typeorm';
import { freshDatabase, executeOnDatabase } from '../../test/harness/database.js';
import { openDatabase } from './data-source.js';
import { migrationsFromFiles } from './migrations.js';

class Recording0000000000999 {
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('select pg_sleep(0.3)'); // the other process probably waits for the lock meanwhile
    await runner.query(
      `create table timeout_in_migration as
         select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
    );
  }
  async down(): Promise<void> {}
}

describe('Migrations', () => {
  it.each([
    ['connections', { statement_timeout: 60_000, lock_timeout: 60_000 }, []],
    ['the role, as behind a pooler', {}, ['statement_timeout', 'lock_timeout']],
  ])(
    'run once when processes start together, and without the time-outs of %s',
    async (_, extra, roleSettings) => {
      const database = await freshDatabase();
      const lines: string[] = [];
      const start = (): Promise<DataSource> =>
        openDatabase(
          {
            type: 'postgres',
            url: database.url,
            extra,
            migrations: [...migrationsFromFiles(), Recording0000000000999],
          },
          (line) => lines.push(line),
        );
      const name = new URL(database.url).pathname.slice(1);
      for (const setting of roleSettings)
        await executeOnDatabase(
          database.url,
          `alter role current_user in database ${name} set ${setting} = 60000`,
        );
      const dataSources = await Promise.all([start(), start()]);
      expect(lines).toEqual(['database: 1 migration(s) done']);
      expect(await dataSources[0].query('select * from timeout_in_migration')).toEqual([
        { statement: '0', lock: '0' },
      ]);
      const [{ timeout }] = (await dataSources[0].query('select current_setting($1) as timeout', [
        'statement_timeout',
      ])) as [{ timeout: string }];
      expect(timeout).toBe('1min'); // requests keep their time-out
      await Promise.all(dataSources.map((dataSource) => dataSource.destroy()));
      await database.drop();
    },
  );
});
