// The statement by which the service posts to its ledger.
import { UnitOfWork } from '../../dist/database/unit-of-work.js';
import { DomainEvents } from '../../dist/events/domain-events.js';
import { LedgerRepository } from '../../dist/modules/core/ledger/ledger.repository.js';
import { LedgerService } from '../../dist/modules/core/ledger/ledger.service.js';
import { Meters } from '../../dist/observability/meters.js';

export const ledger = new LedgerService(new LedgerRepository(), new Meters(), new DomainEvents());

/** The statement of a unit of work that makes postings, without the event of the changed balance. */
export async function statementOf(...postings) {
  let statement;
  const query = (text, values, onAnswer) => {
    if (text.includes('ledger_post')) statement = { text, values };
    onAnswer(undefined, { rows: [], command: text.toUpperCase() });
  };
  const connection = { query, getTransactionStatus: () => 'I' };
  const runner = { manager: {}, connect: async () => connection, release: async () => undefined };
  const unitOfWork = new UnitOfWork({ createQueryRunner: () => runner, options: {} });
  await unitOfWork.runInTransaction((tx) => ledger.post(tx, ...postings));
  return statement;
}

/** A statement that PostgreSQL prepares at its first use on a connection. */
export const named = (statement) => ({ name: 'post', ...statement });

/** Sends a statement in its own transaction. */
export const sendAlone = (pool, statement) => pool.query(statement);

/** Sends a statement in three round trips, as an application does that also writes its own rows. */
export async function sendInTransaction(pool, statement) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(statement);
    await client.query('commit');
  } finally {
    client.release();
  }
}
