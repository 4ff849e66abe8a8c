import type { DataSource } from 'typeorm';
import { asDomainError } from '../common/errors/database-error.js';
import { OpenTransaction } from './open-transaction.js';
import { read, write } from './statements.js';

const WRITE = 'insert into number (n) values (1)';
const errorWith = (code: string) => Object.assign(new Error('failed'), { code });

/**
 * Commits a write after `reads` other statements, and returns the error, or undefined if the commit succeeds. `errors` has the
 * error of each statement that fails, by the text of the statement.
 */
async function errorOfCommit(errors: Record<string, Error>, reads = 1): Promise<unknown> {
  let status = 'I';
  const connection = {
    end: async () => undefined,
    query: async (sql: string, _values: unknown, onAnswer?: (error?: Error, answer?: object) => void) => {
      // in a later turn, as an answer of a server
      setImmediate(() => {
        if (sql === 'begin') status = 'T';
        onAnswer?.(errors[sql], { command: sql.toUpperCase(), rows: [] });
      });
    },
    getTransactionStatus: () => status,
  };
  const runner = {
    manager: {},
    connect: async () => connection,
    release: async () => undefined,
  };
  const dataSource = { createQueryRunner: () => runner } as unknown as DataSource;
  const transaction = await OpenTransaction.open(dataSource);
  for (let number = 0; number < reads; number++) await read(transaction.tx, 'select 1');
  write(transaction.tx, WRITE);
  const error: unknown = await transaction.commit().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await transaction.end();
  return error;
}

describe('The commit of an open transaction', () => {
  it.each(['EPIPE', 'ECONNRESET', '57P01'])(
    'has an unknown outcome if COMMIT fails with %s',
    async (code) => {
      const error = await errorOfCommit({ commit: errorWith(code) });
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
    },
  );

  it.each([0, 1])('has a known outcome if it was not sent, after %p reads', async (reads) => {
    const lost = new Error('Client has encountered a connection error and is not queryable');
    const error = await errorOfCommit({ [WRITE]: lost, commit: lost }, reads);
    expect(asDomainError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: undefined });
  });

  it('has an unknown outcome if the connection breaks while the last write and COMMIT are sent', async () => {
    const error = await errorOfCommit({ [WRITE]: errorWith('EPIPE'), commit: errorWith('EPIPE') });
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
  });

  it.each(['EPIPE', 'ECONNRESET', '57P01'])(
    'has an unknown outcome if a single write, which is sent without COMMIT, fails with %s',
    async (code) => {
      const error = await errorOfCommit({ [WRITE]: errorWith(code) }, 0);
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
    },
  );

  it.each([0, 1])(
    'is rejected with the error of PostgreSQL about the last write, after %p reads',
    async (reads) => {
      const error = await errorOfCommit({ [WRITE]: errorWith('23505') }, reads);
      expect(error).toMatchObject({ code: '23505' });
    },
  );

  it.each([0, 1])('succeeds if no statement fails, after %p reads', async (reads) => {
    expect(await errorOfCommit({}, reads)).toBeUndefined();
  });
});
