import { QueryFailedError } from 'typeorm';
import { sqlState } from './sql-state.js';
import {
  asDomainError,
  commitError,
  isForeignKeyViolation,
  isServerFault,
  violates,
} from './database-error.js';

const failed = (fields: object) =>
  new QueryFailedError('select 1', [], Object.assign(new Error('failed'), fields));

it.each([
  ['ledger_account_balance_not_negative', 'INSUFFICIENT_BALANCE'],
  ['investment_idempotency_key', 'DUPLICATE_INVESTMENT'],
  ['withdrawal_tx_hash', 'DUPLICATE_TX_HASH'],
])('asDomainError maps a violation of the constraint %s to %s', (constraint, code) => {
  expect(asDomainError(failed({ code: '23514', constraint }))?.code).toBe(code);
});

it.each([
  '08006',
  '08P01',
  '57P01',
  '57P03',
  '53300',
  '55P03',
  '57014',
  '25P03',
  '40001',
  '40P01',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
])('asDomainError maps the error code %s to 503 with Retry-After', (code) => {
  expect(asDomainError(failed({ code }))).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    retryAfterSeconds: 1,
  });
});

it.each([
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'Query read timeout',
  'Query runner already released. Cannot run queries anymore.',
])('asDomainError maps the driver’s error "%s" to 503', (message) =>
  expect(asDomainError(new Error(message))?.status).toBe(503),
);

it.each([
  ['the violation of another constraint', failed({ code: '23505', constraint: 'some_other' })],
  ['a syntax error', failed({ code: '42601' })],
  ['an invalid value', failed({ code: '22P02' })],
  ['an error of the program', new TypeError('x is not a function')],
  ['a thrown text', 'text'],
  ['undefined', undefined],
])('asDomainError returns undefined for %s', (_, error) => expect(asDomainError(error)).toBeUndefined());

it('sqlState and violates read the SQLSTATE and the constraint of a failed statement', () => {
  expect(sqlState(failed({ code: '40001' }))).toBe('40001');
  expect(sqlState(new Error('no state'))).toBeUndefined();
  expect(sqlState(failed({ code: 'P0001' }))).toBe('P0001');
  expect(sqlState(failed({ code: 'ECONNREFUSED' }))).toBeUndefined();
  expect(sqlState(failed({ code: 'EPIPE' }))).toBeUndefined(); // five characters, as a SQLSTATE
  expect(violates(failed({ constraint: 'a' }), 'a')).toBe(true);
  expect(violates(failed({ constraint: 'a' }), 'b')).toBe(false);
});

it.each([
  ['the SQLSTATE 57P01', failed({ code: '57P01' })],
  ['the SQLSTATE 08006', failed({ code: '08006' })],
  ['the system code ECONNRESET', failed({ code: 'ECONNRESET' })],
  ['the system code EPIPE', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })],
  ['no code', new Error('Connection terminated unexpectedly')],
])('commitError maps an error with %s to 503 with an unknown outcome', (_, error) => {
  expect(commitError(error)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    details: { outcome: 'unknown' },
    cause: error,
  });
});

it.each(['23505', '40001', 'P0001'])('commitError keeps the rejection of PostgreSQL with %s', (code) => {
  const error = failed({ code });
  expect(commitError(error)).toBe(error);
});

it('commitError keeps the error of a COMMIT that was not sent', () => {
  const error = new Error('Client has encountered a connection error and is not queryable');
  expect(commitError(error)).toBe(error);
});

it.each([
  ['a terminated session', failed({ code: '57P01' })],
  ['too many connections', failed({ code: '53300' })],
  ['a standby', failed({ code: '25006' })],
  ['a broken socket', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })],
  ['an ended connection', new Error('Connection terminated unexpectedly')],
  ['a COMMIT without an answer', commitError(failed({ code: '57P01' }))],
])('isServerFault is true for the error of %s', (_, error) => expect(isServerFault(error)).toBe(true));

it.each([
  ['a violated constraint', failed({ code: '23505' })],
  ['a statement time-out', failed({ code: '57014' })],
  ['a lock time-out', failed({ code: '55P03' })],
  ['the program', new TypeError('x is not a function')],
  ['the program without a text', undefined],
])('isServerFault is false for the error of %s', (_, error) => expect(isServerFault(error)).toBe(false));

it('isForeignKeyViolation is true for the error of a violated foreign key alone', () => {
  expect(isForeignKeyViolation(failed({ code: '23503' }))).toBe(true);
  expect(isForeignKeyViolation(failed({ code: '23514' }))).toBe(false);
  expect(isForeignKeyViolation(new Error('other'))).toBe(false);
});
