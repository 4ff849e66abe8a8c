import type { DataSource } from 'typeorm';
import { WRITE_TOGETHER } from './collected-rows.js';
import { asDomainError } from './database-error.js';
import { OpenTransaction } from './open-transaction.js';
import { collectRow } from './transaction-calls.js';
import type { Tx } from './tx.js';

const errorWith = (code: string) => Object.assign(new Error('failed'), { code });

/**
 * Commits one collected row after `statements` other statements, and returns the error, or undefined if the commit succeeds.
 * `errors` has the error of each statement that fails, by the text of the statement.
 */
async function errorOfCommit(errors: Record<string, Error>, statements = 1): Promise<unknown> {
  let status = 'I';
  const connection = {
    end: async () => undefined,
    query: async (sql: string) => {
      if (errors[sql]) throw errors[sql];
      if (sql === 'begin') status = 'T';
      return { command: sql.toUpperCase(), rows: [] };
    },
    getTransactionStatus: () => status,
  };
  const runner = {
    manager: {},
    connect: async () => connection,
    query: connection.query,
    startTransaction: (): Promise<unknown> => runner.query('begin'),
    release: async () => undefined,
  };
  const transaction = new OpenTransaction({ createQueryRunner: () => runner } as unknown as DataSource);
  await transaction.run(async (manager) => {
    for (let number = 0; number < statements; number++) await runner.query('select 1');
    await collectRow(manager as Tx, { name: 'rows', toRows: (items) => items }, 1);
  });
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

  it.each([0, 1])('has a known outcome if it was not sent, after %p other statements', async (statements) => {
    const lost = new Error('Client has encountered a connection error and is not queryable');
    const error = await errorOfCommit({ [WRITE_TOGETHER]: lost, commit: lost }, statements);
    expect(asDomainError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: undefined });
  });

  it('has an unknown outcome if the connection breaks while the collected rows are sent', async () => {
    const error = await errorOfCommit({ [WRITE_TOGETHER]: errorWith('EPIPE'), commit: errorWith('EPIPE') });
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
  });

  it.each(['EPIPE', 'ECONNRESET', '57P01'])(
    'has an unknown outcome if the collected rows, which are sent without COMMIT, fail with %s',
    async (code) => {
      const error = await errorOfCommit({ [WRITE_TOGETHER]: errorWith(code) }, 0);
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
    },
  );

  it.each([0, 1])(
    'is rejected with the error of PostgreSQL about the collected rows after %p other statements',
    async (statements) => {
      const error = await errorOfCommit({ [WRITE_TOGETHER]: errorWith('23505') }, statements);
      expect(error).toMatchObject({ code: '23505' });
    },
  );

  it.each([0, 1])('succeeds if no statement fails, after %p other statements', async (statements) => {
    expect(await errorOfCommit({}, statements)).toBeUndefined();
  });
});
