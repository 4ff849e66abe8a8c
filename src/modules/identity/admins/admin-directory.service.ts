import { readFileSync, statSync } from 'node:fs';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { MINUTE_MS } from '../../../common/durations.js';
import { canonicalEmail } from '../../../common/email.js';
import { AppConfig } from '../../../config/app-config.js';
import { Job } from '../../../jobs/job.decorator.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { permits, type Permission } from '../../../http/auth/permissions.js';
import { UsersService } from '../users/users.service.js';
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
const GRACE_MS = 5 * MINUTE_MS;

const OWNER_FAULT = 'the e-mail address of an admin is that of a user who owns money';

/**
 * The admins of ADMINS_FILE, which is read again within a second after a change. While the file is invalid, the last
 * valid list is used for five minutes, so that a typing error does not lock out all admins (DEC-16), and then the
 * intersection of that list with the file's valid entries. A new address is admitted once the database has answered that no user
 * with this address owns money; the entry of a user who does is invalid (DEC-98).
 */
@Injectable()
export class AdminDirectoryService implements OnModuleInit {
  private readonly log = new Logger('Admins');
  /** The admins who are admitted now. */
  private admins: AdminsByEmail = new Map();
  private lastValid: AdminsByEmail = new Map();
  /** The file as it was read last. `version` tells whether it has changed since. */
  private parsed: { readonly version: string; readonly file: AdminsFile } | undefined;
  /** The present fault of the file. `isGraceOver`: the intersection is in use. */
  private fault: { readonly sinceMs: number; reason: string; isGraceOver: boolean } | undefined;
  /** When the file was last checked; Infinity until `onModuleInit` has asked the database. */
  private checkedMs = Infinity;
  /** Whether the user of an address of the file owns money, as far as the database was asked. */
  private readonly ownsMoney = new Map<string, boolean>();
  private isAsking = false;

  /** Throws if the file is invalid at the start, when there is no last valid list. */
  constructor(
    private readonly config: AppConfig,
    private readonly users: UsersService,
  ) {
    const { admins, fault } = this.readFile();
    if (fault !== undefined) throw new Error(`ADMINS_FILE: ${fault}`);
    this.admins = admins;
  }

  /** At the start there is no last valid list: the entries of users who own money are left out. */
  async onModuleInit(): Promise<void> {
    await this.askAboutMoney([...this.admins.keys()]);
    this.admins = this.withoutOwners(this.admins);
    this.checkedMs = -Infinity;
    this.refresh();
  }

  @Job({
    name: 'admins-file',
    purpose: 'Reads ADMINS_FILE if it has changed, so that a fault is known although no admin signs in',
    everySeconds: 5,
    withoutDatabase: true,
  })
  async checkFile(): Promise<void> {
    this.refresh();
  }

  /** Finds the address in any spelling, because accounts from earlier versions may spell it differently from ADMINS_FILE. */
  findAdminByEmail(email: string): Admin | undefined {
    this.refresh();
    return this.admins.get(email) ?? this.admins.get(canonicalEmail(email).email ?? '');
  }

  findAdmin(id: string): Admin | undefined {
    this.refresh();
    return [...this.admins.values()].find((admin) => admin.id === id);
  }

  /** Throws TOKEN_INVALID if ADMINS_FILE no longer lists the admin. */
  getAdmin(id: string): Admin {
    return this.findAdmin(id) ?? throwError('TOKEN_INVALID');
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
    else this.handleFault(file.admins, file.fault, now);
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

  /** Takes the admins of a file whose entries are all valid, as far as the file shows. */
  private acceptList(admins: AdminsByEmail): void {
    for (const email of this.ownsMoney.keys()) if (!admins.has(email)) this.ownsMoney.delete(email);
    const unknown = [...admins.keys()].filter((email) => !this.ownsMoney.has(email));
    if (unknown.length > 0) {
      // Removed admins lose access at once, new ones wait for the answer.
      this.admins = this.withoutOwners(admins);
      void this.askAboutMoney(unknown);
      return;
    }
    const valid = this.withoutOwners(admins);
    if (valid.size < admins.size) {
      // No list has been valid since the start.
      if (this.lastValid.size === 0) {
        this.lastValid = valid;
        this.admins = valid;
      }
      this.handleFault(valid, OWNER_FAULT, performance.now());
      return;
    }
    if (this.fault) this.log.log('ADMINS_FILE can be read again');
    this.fault = undefined;
    this.lastValid = admins;
    this.admins = admins;
  }

  private withoutOwners(admins: AdminsByEmail): AdminsByEmail {
    return new Map([...admins].filter(([email]) => this.ownsMoney.get(email) === false));
  }

  /** Never throws: while the database does not answer, every reading of the file asks again. */
  private async askAboutMoney(emails: readonly string[]): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const owners = await this.users.listMoneyOwners(emails);
      for (const email of emails) this.ownsMoney.set(email, owners.includes(email));
      this.checkedMs = -Infinity; // the next use reads the file again
    } catch (error) {
      this.log.warn({ msg: 'new admins of ADMINS_FILE wait for the database', err: error });
    } finally {
      this.isAsking = false;
    }
  }

  /** `valid` are the valid entries of the file, and `reason` is its fault. */
  private handleFault(valid: AdminsByEmail, reason: string, now: number): void {
    if (this.fault?.reason !== reason)
      this.log.error(
        `ADMINS_FILE: ${reason}. The last valid list is used until five minutes after the first fault.`,
      );
    const { sinceMs, isGraceOver } = this.fault ?? { sinceMs: now, isGraceOver: false };
    this.fault = { sinceMs, isGraceOver, reason };
    if (now - sinceMs < GRACE_MS) return;
    this.admins = intersectionOf(this.lastValid, valid);
    if (!isGraceOver)
      this.log.error(`ADMINS_FILE: ${reason} for five minutes. ${this.admins.size} admin(s) are admitted.`);
    this.fault.isGraceOver = true;
  }
}
