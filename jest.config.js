import { missing } from './test/support/programs.mjs';

/** @type {import('jest').Config} */
export default {
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transformIgnorePatterns: ['/node_modules/'],
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/src/**/*.db-spec.ts', '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/endurance/',
    ...missing().map(({ name }) => `\\.${name}\\.spec\\.ts$`),
  ],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/setup.ts'],
  reporters: [
    'default',
    '<rootDir>/test/support/catalogue-reporter.mjs',
    '<rootDir>/test/support/promises-reporter.mjs',
  ],
  testTimeout: 60_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB', // modules of a finished test file are not given back: begin afresh now and then
};
