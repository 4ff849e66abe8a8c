// What of the system some tests need. A test file names its own: `*.redis.spec.ts` runs where redis-server is.
import { spawnSync } from 'node:child_process';
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

/** What begins a process with mounts of its own: root's may differ from an ordinary user's. Undefined where nobody may. */
export function mountNamespaceOptions() {
  const ways = [['-m'], ['-U', '-m', '-c', '--keep-caps']];
  return ways.find(
    (way) => spawnSync('unshare', [...way, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
  );
}

/** What is not here, and why: the test files that need it are left out, and the run says so. */
export function missingPrograms() {
  const programs = Object.keys(NAMES)
    .filter((program) => programPath(program) === undefined)
    .map((program) => ({ name: program, why: `${program} is not installed` }));
  return mountNamespaceOptions()
    ? programs
    : [...programs, { name: 'mounts', why: 'nothing may be mounted here' }];
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
