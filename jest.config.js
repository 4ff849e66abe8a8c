// `npm test`. Tests that kill processes, need system programs or run for long: jest.faults.config.js. See test/README.md.
import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  runtime: '<rootDir>/test/harness/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/harness/jest/environment.cjs',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' }, // for `--watch` and `--findRelatedTests`: imports name the output
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/src/**/*.db-spec.ts', '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: ['<rootDir>/node_modules/', '<rootDir>/test/(faults|system|verification)/'],
  globalSetup: '<rootDir>/test/harness/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/jest/global-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/harness/jest/setup.ts'],
  reporters: [
    'default',
    '<rootDir>/test/harness/jest/catalogue-reporter.mjs',
    '<rootDir>/test/harness/jest/guarantees-reporter.mjs',
  ],
  testTimeout: 300_000, // ends a test that hangs; nothing is asserted by it, since a machine may be busy with other things
  // More than cores, since a worker waits for the database a third of its time. At most 8: their platforms share the 200
  // connections of one PostgreSQL, and a platform opens up to 20.
  maxWorkers: Math.min(8, Math.ceil(1.5 * availableParallelism())),
  workerIdleMemoryLimit: '2GB', // also keeps Jest from running a single file in its own process, where modules would go stale
};
