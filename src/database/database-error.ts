import { QueryFailedError } from 'typeorm';
import { DomainError } from '../common/errors/domain-error.js';
import { sqlState } from '../common/errors/sql-state.js';
import type { ErrorCode } from '../common/errors/error-catalogue.js';

interface PostgresError {
  code?: string;
  constraint?: string;
  message?: string;
}

function driverError(error: unknown): PostgresError {
  return (error instanceof QueryFailedError ? error.driverError : error) as PostgresError;
}

/** True when a statement failed on the named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return driverError(error)?.constraint === constraint;
}

// The constraints that a caller's request can meet even though the service checks first: the database has the
// last word. Everything else that fails there is our own fault and stays a 500.
const CODE_OF_CONSTRAINT: Record<string, ErrorCode> = {
  ledger_account_balance_not_negative: 'INSUFFICIENT_BALANCE',
  investment_idempotency_key: 'DUPLICATE_INVESTMENT',
  withdrawal_tx_hash: 'DUPLICATE_TX_HASH',
};

const RETRY_AFTER_SECONDS = 1;
// Connection classes, shutdown, recovery, a disk or memory that is full, too many connections, lock and statement
// time-outs.
const UNAVAILABLE_STATE = /^(08...|57P0.|53...|55P03|57014|25P03|40001|40P01)$/;
const UNAVAILABLE_NODE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;
const UNAVAILABLE_TEXT =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|not queryable|already released|Driver not Connected|connection was closed/i;

/** What a caller is told of a database's error, or undefined when it is an internal one. */
export function asDomainError(error: unknown): DomainError | undefined {
  const { code, constraint, message } = driverError(error) ?? {};
  const known = constraint === undefined ? undefined : CODE_OF_CONSTRAINT[constraint];
  if (known) return new DomainError(known);
  const unavailable =
    UNAVAILABLE_STATE.test(code ?? '') ||
    UNAVAILABLE_NODE.test(code ?? '') ||
    UNAVAILABLE_TEXT.test(message ?? '');
  return unavailable
    ? new DomainError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    : undefined;
}

/** What a server says of a COMMIT that it has refused; without a word from it, or with its end, nobody knows. */
const LOST_STATE = /^(08...|57P0.)$/;

/** Of a COMMIT that failed: a refusal as it is, or that it may have been done, which is no reason to ask again at once. */
export function ofCommit(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && !LOST_STATE.test(state)) return error;
  const message =
    'The database was lost at the last moment: this may have been done, or not. Look before you ask again, or repeat it with its Idempotency-Key.';
  return Object.assign(new DomainError('SERVICE_UNAVAILABLE', { outcome: 'unknown' }, { message }), {
    cause: error, // for the log
  });
}
