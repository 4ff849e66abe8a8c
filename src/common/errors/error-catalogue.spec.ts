import { DomainError, throwError } from './domain-error.js';
import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.js';
import type { CatalogueEntry } from './error-details.js';

const entries = Object.entries(ERROR_CATALOGUE) as [ErrorCode, CatalogueEntry][];
const STATUSES = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503]; // those in the error table of the API's specification

it.each(entries)(
  'the code %s is in upper case, its status is one of the specification, and its message is a sentence',
  (code, { status, message }) => {
    expect(code).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
    expect(STATUSES).toContain(status);
    expect(message).toMatch(/^\w.*\.$/);
  },
);

it.each([
  ['BLOCKCHAIN_ERROR', 5, true],
  ['CRYPTO2B_API_ERROR', 5, true],
  ['PARTIAL_DATA_AVAILABLE', 5, true],
  ['FAUCET_DISABLED', 86_400, false],
] as const)('%s has Retry-After %i; it counts as a failure: %s', (code, retryAfterSeconds, isFailure) => {
  expect(new DomainError(code)).toMatchObject({ status: 503, retryAfterSeconds, isFailure });
});

it('DomainError has the status and the message of the catalogue, unless the thrower gives others', () => {
  expect(new DomainError('INVALID_AMOUNT')).toMatchObject({
    status: 400,
    message: 'The amount is not valid. See details.',
  });
  expect(
    new DomainError('INVALID_AMOUNT', undefined, { status: 422, message: 'Below 10.00.' }),
  ).toMatchObject({ code: 'INVALID_AMOUNT', status: 422, message: 'Below 10.00.' });
  expect(() => throwError('INVALID_STATE', { status: 'closed', action: 'close', allowedFrom: [] })).toThrow(
    DomainError,
  );
});
