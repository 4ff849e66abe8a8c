import { readFileSync, statSync } from 'node:fs';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Job } from '../../jobs/job.decorator.js';
import {
  lesserOf,
  parseAdminsFile,
  type Admin,
  type AdminsByEmail,
  type AdminsFile,
} from './domain/admins-file.js';

export type { Admin } from './domain/admins-file.js';

const LOOK_EVERY_MS = 500;
/** How long the last good list counts while the file cannot be read or has an entry that is not valid. */
const GRACE_MS = 300_000;

/**
 * The admins of ADMINS_FILE. The file is looked at again when it has changed, so that a removed admin is
 * out within a second. A file with a fault fails no request: the last good list counts for five minutes, and after that
 * only what the file says of admins who stand in that list.
 */
@Injectable()
export class AdminDirectoryService {
  private readonly log = new Logger('Admins');
  private admins: AdminsByEmail = new Map();
  private lastGood: AdminsByEmail = new Map();
  private seen: { readonly version: string; readonly file: AdminsFile } | undefined;
  private fault: { readonly sinceMs: number; reason: string; isOverdue: boolean } | undefined;
  private lookedMs = -Infinity;

  /** Throws when the file cannot be read at the start: there is no good list yet. */
  constructor(private readonly config: AppConfig) {
    this.look();
    if (this.fault) throw new Error(`ADMINS_FILE: ${this.fault.reason}`);
  }

  @Job({
    name: 'admins-file',
    purpose: 'Reads ADMINS_FILE if it has changed, so that a fault is known although no admin signs in',
    everySeconds: 5,
  })
  async checkFile(): Promise<void> {
    this.look();
  }

  byEmail(email: string): Admin | undefined {
    this.look();
    return this.admins.get(email.toLowerCase());
  }

  byId(id: string): Admin | undefined {
    this.look();
    return [...this.admins.values()].find((admin) => admin.id === id);
  }

  /** Of all who are listed, whatever their status. */
  emails(): string[] {
    this.look();
    return [...this.admins.keys()];
  }

  /** How many are listed, whatever their status. */
  count(): number {
    this.look();
    return this.admins.size;
  }

  /** False from the first look at which the file could not be read, or had an entry that is not valid. */
  get isReadable(): boolean {
    this.look();
    return this.fault === undefined;
  }

  private look(): void {
    const now = performance.now();
    if (now - this.lookedMs < LOOK_EVERY_MS) return;
    this.lookedMs = now;
    const file = this.read();
    if (file.fault === undefined) this.accept(file.admins);
    else this.doubt(file, file.fault, now);
  }

  /** Never throws. A version of the file that was parsed before is not parsed again. */
  private read(): AdminsFile {
    try {
      const stats = statSync(this.config.ADMINS_FILE);
      const version = `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
      if (this.seen?.version !== version)
        this.seen = { version, file: parseAdminsFile(readFileSync(this.config.ADMINS_FILE, 'utf8')) };
      return this.seen.file;
    } catch (error) {
      this.seen = undefined;
      const { code } = error as NodeJS.ErrnoException;
      return { admins: new Map(), fault: `it could not be read (${code ?? 'unknown error'})` };
    }
  }

  private accept(admins: AdminsByEmail): void {
    if (this.fault) this.log.log('ADMINS_FILE can be read again');
    this.fault = undefined;
    this.admins = this.lastGood = admins;
  }

  private doubt({ admins }: AdminsFile, reason: string, now: number): void {
    if (this.fault?.reason !== reason)
      this.log.error(
        `ADMINS_FILE: ${reason}. The last good list counts for five minutes after the first fault.`,
      );
    this.fault = { sinceMs: this.fault?.sinceMs ?? now, isOverdue: this.fault?.isOverdue ?? false, reason };
    if (now - this.fault.sinceMs < GRACE_MS) return;
    this.admins = lesserOf(this.lastGood, admins);
    if (!this.fault.isOverdue)
      this.log.error(`ADMINS_FILE: ${reason} for five minutes. ${this.admins.size} admin(s) are admitted.`);
    this.fault.isOverdue = true;
  }
}
