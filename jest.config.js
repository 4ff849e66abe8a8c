// Configuration of `npm test`. jest.thorough.config.js configures the tests with random input and the checks of every route,
// jest.faults.config.js the tests that kill processes, need system programs or run for long, and jest.postgres.config.js those that run on
// other versions of PostgreSQL.
import { availableParallelism } from 'node:os';

// For the workers: Node 20 warns that the mock timers of node:test, which a unit test uses, are experimental.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --disable-warning=ExperimentalWarning`.trim();
// For the workers alone, not for processes that they start: with a large young generation the collector copies fewer objects.
process.execArgv.push('--max-semi-space-size=64');

/** @type {import('jest').Config} */
export default {
  runtime: '<rootDir>/test/harness/jest/runtime.cjs', // loads modules with Node's loader (DEC-53)
  testEnvironment: '<rootDir>/test/harness/jest/environment.cjs',
  transform: {}, // scripts/compile-tests.mjs compiles all files before the run
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' }, // for `--watch` and `--findRelatedTests`: maps imports of `.js` to sources
  testMatch: ['<rootDir>/{src,client,test}/**/*.spec.ts', '<rootDir>/{src,test}/**/*.db-spec.ts'],
  testPathIgnorePatterns: [
    '<rootDir>/node_modules/',
    '<rootDir>/test/(console|faults|matrix|property|system|verification|versions)/',
  ],
  globalSetup: '<rootDir>/test/harness/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/jest/global-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/harness/jest/setup.ts'],
  reporters: ['default', '<rootDir>/test/harness/jest/catalogue-reporter.mjs'],
  testTimeout: 300_000, // only ends tests that hang; long, since the machine may be busy
  // More workers than cores, since a worker waits for the database a third of the time. At most 8, since each
  // worker starts its own instance of the service, which opens up to 20 of the server's 200 connections.
  maxWorkers: Math.min(8, Math.ceil(1.5 * availableParallelism())),
  workerIdleMemoryLimit: '2GB', // also makes Jest start a worker process for a single file
};
