// System programs that some tests need. The file name of a test names its program: `*.redis.spec.ts` needs redis-server.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  haproxy: ['haproxy'],
  hledger: ['hledger'],
  ledger: ['ledger'],
  nginx: ['nginx'],
  pgbouncer: ['pgbouncer'],
  promtool: ['promtool'],
  redis: ['redis-server'],
};
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Path of a program; undefined if it is not installed. */
export function programPath(program) {
  return FOLDERS.flatMap((folder) => NAMES[program].map((name) => join(folder, name))).find(isExecutable);
}

/** Options of `unshare` that permit mounts, as root or as an ordinary user; undefined if mounts are not permitted. */
export function mountNamespaceOptions() {
  const optionLists = [['-m'], ['-U', '-m', '-c', '--keep-caps']];
  return optionLists.find(
    (options) => spawnSync('unshare', [...options, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
  );
}

/** Missing programs with the reason, and `mounts` if mounts are not permitted. Jest skips the test files that need them. */
export function missingPrograms() {
  const programs = Object.keys(NAMES)
    .filter((program) => programPath(program) === undefined)
    .map((program) => ({ name: program, why: `${program} is not installed` }));
  return mountNamespaceOptions()
    ? programs
    : [...programs, { name: 'mounts', why: 'mounts are not permitted here' }];
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
