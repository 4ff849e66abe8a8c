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

// Constraints that a request can violate although the service checks first, because of concurrent requests. Violations of
// all other constraints are internal errors.
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

/** Maps a database error to an error of the API; undefined for internal errors. */
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

/** SQLSTATEs of a lost connection. The outcome of a COMMIT that failed with one is unknown, as it is without a SQLSTATE. */
const LOST_STATE = /^(08...|57P0.)$/;

/** Maps the error of a COMMIT: PostgreSQL's rejection stays as it is; a lost connection becomes 503 with an unknown outcome. */
export function ofCommit(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && !LOST_STATE.test(state)) return error;
  const message =
    'The connection to the database was lost during the commit, so the request may have been carried out or not. Check before you repeat it, or repeat it with the same Idempotency-Key.';
  return Object.assign(new DomainError('SERVICE_UNAVAILABLE', { outcome: 'unknown' }, { message }), {
    cause: error, // for the log
  });
}
