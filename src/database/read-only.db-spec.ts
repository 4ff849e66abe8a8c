import { freshDatabase } from '../../test/harness/database.js';
import { openDatabase } from './data-source.js';
import { asDomainError } from '../common/errors/database-error.js';
import { PREPARING } from './prepared.js';
import { SequentialClient } from './pooled-client.js';

describe('A statement that a read-only server refuses', () => {
  it.each([
    ['pipelined', PREPARING],
    ['sequential', { Client: SequentialClient }],
  ])('is 503, and the pool replaces its %s connection', async (_kind, extra) => {
    const database = await freshDatabase();
    const url = `${database.url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
    const options = { type: 'postgres', url, poolSize: 1, extra } as const;
    const dataSource = await openDatabase(options, () => undefined, { migrate: false });
    try {
      const pidOf = async () =>
        (await dataSource.query<[{ pid: number }]>('select pg_backend_pid() as pid'))[0].pid;
      const before = await pidOf();
      const error = await dataSource.query('create table refused ()').catch((thrown: unknown) => thrown);
      expect(asDomainError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(await pidOf()).not.toBe(before);
    } finally {
      await dataSource.destroy();
      await database.drop();
    }
  });
});
