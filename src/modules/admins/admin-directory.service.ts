import { readFileSync, statSync } from 'node:fs';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Job } from '../../jobs/job.decorator.js';
import { fail } from '../../common/errors/domain-error.js';
import { permits, type Permission } from '../../http/auth/permissions.js';
import {
  intersectionOf,
  parseAdminsFile,
  type Admin,
  type AdminsByEmail,
  type AdminsFile,
} from './domain/admins-file.js';

export type { Admin } from './domain/admins-file.js';

const CHECK_EVERY_MS = 500;
/** How long the last valid list is used while the file cannot be read or has an invalid entry. */
const GRACE_MS = 300_000;

/**
 * The admins of ADMINS_FILE, which is read again within a second after a change. While the file is invalid, the last
 * valid list is used for five minutes, so that a typing error does not lock out all admins (DEC-16), and then the
 * intersection of that list with the file's valid entries.
 */
@Injectable()
export class AdminDirectoryService {
  private readonly log = new Logger('Admins');
  private admins: AdminsByEmail = new Map();
  private lastValid: AdminsByEmail = new Map();
  private parsed: { readonly version: string; readonly file: AdminsFile } | undefined;
  /** `isGraceOver` is true from the first use of the intersection on. */
  private fault: { readonly sinceMs: number; reason: string; isGraceOver: boolean } | undefined;
  private checkedMs = -Infinity;

  /** Throws if the file is invalid at the start, when there is no last valid list. */
  constructor(private readonly config: AppConfig) {
    this.refresh();
    if (this.fault) throw new Error(`ADMINS_FILE: ${this.fault.reason}`);
  }

  @Job({
    name: 'admins-file',
    purpose: 'Reads ADMINS_FILE if it has changed, so that a fault is known although no admin signs in',
    everySeconds: 5,
  })
  async checkFile(): Promise<void> {
    this.refresh();
  }

  findAdminByEmail(email: string): Admin | undefined {
    this.refresh();
    return this.admins.get(email.toLowerCase());
  }

  findAdmin(id: string): Admin | undefined {
    this.refresh();
    return [...this.admins.values()].find((admin) => admin.id === id);
  }

  /** Throws TOKEN_INVALID if ADMINS_FILE no longer lists the admin. */
  getAdmin(id: string): Admin {
    return this.findAdmin(id) ?? fail('TOKEN_INVALID');
  }

  /** The e-mail addresses of all listed admins, including disabled ones. */
  listEmails(): string[] {
    this.refresh();
    return [...this.admins.keys()];
  }

  /** The number of active admins with all permissions. */
  countApprovers(): number {
    return this.listPermitted('*').length;
  }

  /** The active admins with a permission. */
  listPermitted(permission: Permission): Admin[] {
    this.refresh();
    return [...this.admins.values()].filter(
      ({ status, permissions }) => status === 'active' && permits(permissions, permission),
    );
  }

  /** The number of listed admins, including disabled ones. */
  countAdmins(): number {
    this.refresh();
    return this.admins.size;
  }

  /** False while the file cannot be read or has an invalid entry. */
  get isReadable(): boolean {
    this.refresh();
    return this.fault === undefined;
  }

  private refresh(): void {
    const now = performance.now();
    if (now - this.checkedMs < CHECK_EVERY_MS) return;
    this.checkedMs = now;
    const file = this.readFile();
    if (file.fault === undefined) this.acceptList(file.admins);
    else this.handleFault(file, file.fault, now);
  }

  /** Never throws. Parses the file only if it has changed. */
  private readFile(): AdminsFile {
    try {
      const stats = statSync(this.config.ADMINS_FILE);
      const version = `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
      if (this.parsed?.version !== version)
        this.parsed = { version, file: parseAdminsFile(readFileSync(this.config.ADMINS_FILE, 'utf8')) };
      return this.parsed.file;
    } catch (error) {
      this.parsed = undefined;
      const { code } = error as NodeJS.ErrnoException;
      return { admins: new Map(), fault: `it could not be read (${code ?? 'unknown error'})` };
    }
  }

  private acceptList(admins: AdminsByEmail): void {
    if (this.fault) this.log.log('ADMINS_FILE can be read again');
    this.fault = undefined;
    this.lastValid = admins;
    this.admins = admins;
  }

  private handleFault({ admins }: AdminsFile, reason: string, now: number): void {
    if (this.fault?.reason !== reason)
      this.log.error(
        `ADMINS_FILE: ${reason}. The last valid list is used until five minutes after the first fault.`,
      );
    const { sinceMs, isGraceOver } = this.fault ?? { sinceMs: now, isGraceOver: false };
    this.fault = { sinceMs, isGraceOver, reason };
    if (now - sinceMs < GRACE_MS) return;
    this.admins = intersectionOf(this.lastValid, admins);
    if (!isGraceOver)
      this.log.error(`ADMINS_FILE: ${reason} for five minutes. ${this.admins.size} admin(s) are admitted.`);
    this.fault.isGraceOver = true;
  }
}
