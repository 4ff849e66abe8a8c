// Programs of the system that some tests need. A test file names its own: `*.redis.spec.ts` runs where redis-server is.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  pgbouncer: ['pgbouncer'],
  redis: ['redis-server'],
};
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Path of a program, or undefined where it is not installed. */
export function programPath(program) {
  return FOLDERS.flatMap((folder) => NAMES[program].map((name) => join(folder, name))).find(isExecutable);
}

/** Those that are not here: the test files that need them are left out, and the run says so. */
export function missingPrograms() {
  return Object.keys(NAMES).filter((program) => programPath(program) === undefined);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
