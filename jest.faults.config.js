// `npm run test:faults`: tests that kill processes, break connections or need system programs (test/faults, test/system),
// and the long runs with the tests of their tools (test/verification). `SEED=42` repeats a run.
import base from './jest.config.js';
import { missingPrograms } from './test/harness/programs.mjs';

process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 31));

const left = missingPrograms();
for (const { name, why } of left)
  process.stderr.write(`skipped: test/system/*.${name}.spec.ts, because ${why}\n`);

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/test/{console,faults,system,verification}/**/*.spec.ts'],
  testPathIgnorePatterns: ['<rootDir>/node_modules/', ...left.map(({ name }) => `\\.${name}\\.spec\\.ts$`)],
  reporters: ['default'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
};
