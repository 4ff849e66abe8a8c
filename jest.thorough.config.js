// `npm run test:thorough`: rules with random input (test/property) and checks that are repeated for every route (test/matrix),
// at full length. `THOROUGH=0` runs an eighth of the repetitions.
import base from './jest.config.js';

process.env.THOROUGH ??= '1';

/** @type {import('jest').Config} */
export default {
  ...base,
  testTimeout: 900_000, // random histories of years, on a busy machine
  testMatch: ['<rootDir>/test/{property,matrix}/**/*.spec.ts'],
  testPathIgnorePatterns: ['<rootDir>/node_modules/'],
  reporters: ['default'],
};
