import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { postgresUser } from '../../src/sandbox/postgres-binaries.js';
import { ChildExit } from './child-exit.js';
import { mountNamespaceOptions } from './programs.mjs';

/** The sizes of the writes that fill the disk: 1 MiB, then 4 KiB for the remaining space. */
const CHUNK_BYTES = [1 << 20, 1 << 12];

/**
 * A small tmpfs in the mount namespace of a child process, the holder. Processes of PostgreSQL's user reach the tmpfs
 * through /proc; it disappears when the holder or the test process ends.
 */
export class SmallDisk {
  private constructor(
    private readonly holder: ChildProcess,
    private readonly holderEnd: ChildExit,
    private readonly root: string,
  ) {}

  static async mount(megabytes: number): Promise<SmallDisk> {
    const user = postgresUser();
    const asUser = user ? `setpriv --reuid ${user.uid} --regid ${user.gid} --clear-groups` : '';
    const mount = `mount -t tmpfs -o size=${megabytes}m,mode=0777 none /mnt`;
    const holder = spawn(
      'unshare',
      [
        ...(mountNamespaceOptions() as string[]),
        'sh',
        '-c',
        `${mount} && exec ${asUser} sh -c 'echo mounted; exec cat'`,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const holderEnd = new ChildExit(holder);
    await new Promise<void>((resolve, reject) => {
      holder.stdout?.once('data', () => resolve());
      void holderEnd.exitCode.then(() => reject(new Error(`the mount failed: ${holderEnd.reason}`)));
    });
    return new SmallDisk(holder, holderEnd, `/proc/${holder.pid}/root/mnt`);
  }

  /** Creates a folder that belongs to PostgreSQL's user. */
  folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { mode: 0o700 });
    const user = postgresUser();
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  }

  /** Writes until not even 4 KiB are free. */
  fill(): void {
    const file = openSync(this.ballast, 'a');
    for (const size of CHUNK_BYTES) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    closeSync(file);
  }

  freeSpace(): void {
    rmSync(this.ballast);
  }

  async unmount(): Promise<void> {
    this.holder.stdin?.end();
    await this.holderEnd.exitCode;
  }

  private get ballast(): string {
    return join(this.root, 'ballast');
  }
}
