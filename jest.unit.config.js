// `npm run test:unit`: the tests that need no database, sandbox or build.
import base from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/client/**/*.spec.ts',
    '<rootDir>/test/harness/**/*.spec.ts',
  ],
  testPathIgnorePatterns: ['<rootDir>/node_modules/'],
  globalSetup: '<rootDir>/scripts/compile-tests.mjs',
  globalTeardown: undefined,
  reporters: ['default'],
};
