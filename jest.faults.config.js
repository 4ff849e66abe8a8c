// `npm run test:faults`: the runs that take longer than a minute. `SEED=42` repeats a run; each run prints its seed.
import base from './jest.config.js';

process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 31));

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/test/verification/runs/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  reporters: ['default', '<rootDir>/test/harness/jest/guarantees-reporter.mjs'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
};
