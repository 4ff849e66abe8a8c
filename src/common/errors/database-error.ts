import { DomainError } from './domain-error.js';
import { sqlState } from './sql-state.js';
import type { ErrorCode } from './error-catalogue.js';

interface PostgresError {
  code?: string;
  constraint?: string;
  message?: string;
}

/** The error of the driver, which TypeORM wraps. */
function driverError(error: unknown): PostgresError | undefined {
  return ((error as { driverError?: object } | undefined)?.driverError ?? error) as PostgresError | undefined;
}

/** True if the statement failed because it violates `constraint`. */
export function violates(error: unknown, constraint: string): boolean {
  return driverError(error)?.constraint === constraint;
}

const FOREIGN_KEY_VIOLATION = '23503';

export function isForeignKeyViolation(error: unknown): boolean {
  return sqlState(error) === FOREIGN_KEY_VIOLATION;
}

// Constraints that a request can violate although the service checks first, because of concurrent requests. Other violations
// are internal errors unless the caller maps them (`violates`).
const CODE_OF_CONSTRAINT: Record<string, ErrorCode> = {
  ledger_account_balance_not_negative: 'INSUFFICIENT_BALANCE',
  investment_idempotency_key: 'DUPLICATE_INVESTMENT',
  withdrawal_tx_hash: 'DUPLICATE_TX_HASH',
  idempotency_key_in_progress: 'IDEMPOTENCY_IN_PROGRESS',
  idempotency_key_used: 'IDEMPOTENCY_IN_PROGRESS', // seen only if the stored response was deleted meanwhile, otherwise it is sent
};

const RETRY_AFTER_SECONDS = 1;

// Connection exceptions (class 08), shutdown and recovery, insufficient resources (class 53), lock time-outs, cancelled
// statements, idle transactions, serialization failures and deadlocks that the retries did not resolve, and a server that accepts
// no writes, since it has become a standby or its disk is nearly full.
const UNAVAILABLE_SQLSTATES = /^(08...|57P0.|53...|55P03|57014|25P03|40001|40P01|25006)$/;
const UNAVAILABLE_SYSTEM_CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;
const POOL_TIMEOUT_MESSAGE = /timeout exceeded when trying to connect/i;
// If a connection breaks between two statements, TypeORM releases its query runner, and the next statement fails with
// "Query runner already released".
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout expired|Query read timeout|Client has encountered a connection error|not queryable|already released|Driver not Connected|connection was closed/i;

/** True if the pool had no free connection in time. */
export function isPoolTimeout(error: unknown): boolean {
  return POOL_TIMEOUT_MESSAGE.test(driverError(error)?.message ?? '');
}

/** Maps a database error to an error of the API; undefined for internal errors. */
export function asDomainError(error: unknown): DomainError | undefined {
  const { code, constraint, message } = driverError(error) ?? {};
  const constraintCode = constraint === undefined ? undefined : CODE_OF_CONSTRAINT[constraint];
  if (constraintCode) return new DomainError(constraintCode);
  const isUnavailable =
    UNAVAILABLE_SQLSTATES.test(code ?? '') ||
    UNAVAILABLE_SYSTEM_CODES.test(code ?? '') ||
    UNAVAILABLE_MESSAGES.test(message ?? '') ||
    isPoolTimeout(error);
  return isUnavailable
    ? new DomainError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    : undefined;
}

/** SQLSTATEs of a lost connection. A COMMIT that fails with one of these, or without a SQLSTATE, may have taken effect. */
const LOST_CONNECTION_SQLSTATES = /^(08...|57P0.)$/;

/** A lost connection, insufficient resources, and a server that accepts no writes. */
const FAULTY_SERVER_SQLSTATES = /^(08...|57P0.|53...|25006)$/;

/** True if the connection or the server failed: the same work may succeed later. */
export function isServerFault(error: unknown): boolean {
  return isFault(error, FAULTY_SERVER_SQLSTATES);
}

/** True if the connection was lost, as by a server that stops: commits that it had not written to the disk may be lost. */
export function isLostConnection(error: unknown): boolean {
  return isFault(error, LOST_CONNECTION_SQLSTATES);
}

function isFault(error: unknown, sqlStates: RegExp): boolean {
  const failure = (error as Error | undefined)?.cause ?? error; // `commitError` has the driver's error as its cause
  const { code = '', message = '' } = driverError(failure) ?? {};
  return sqlStates.test(code) || UNAVAILABLE_SYSTEM_CODES.test(code) || UNAVAILABLE_MESSAGES.test(message);
}

/** The message of the driver if it did not send the statement, because the connection was already lost. */
const NOT_SENT = /not queryable/i;

/**
 * Maps the error of a COMMIT: PostgreSQL's rejection and the error of a COMMIT that was not sent stay as they are; a lost
 * connection becomes 503 with an unknown outcome.
 */
export function commitError(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && !LOST_CONNECTION_SQLSTATES.test(state)) return error;
  if (NOT_SENT.test(driverError(error)?.message ?? '')) return error;
  const message =
    'The database has not confirmed the commit: the connection was lost, or no standby has confirmed it in time. The request may or may not have been carried out. Check before you repeat it, or repeat it with the same Idempotency-Key.';
  return Object.assign(new DomainError('SERVICE_UNAVAILABLE', { outcome: 'unknown' }, { message }), {
    cause: error, // for the log
  });
}
