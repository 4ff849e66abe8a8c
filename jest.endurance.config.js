// npm run test:faults: what takes longer than a minute. `SEED=42` repeats a run; the seed of each is printed.
import base from './jest.config.js';

process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 31));

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/test/endurance/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  reporters: ['default', '<rootDir>/test/support/promises-reporter.mjs'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
};
