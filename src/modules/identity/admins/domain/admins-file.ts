import { Allow, IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { v5 } from 'uuid';
import { canonicalEmail } from '../../../../common/email.js';
import { GRANTABLE, permissionsOf } from '../../../../http/auth/permissions.js';
import { parseJson, readMessage } from '../../../../http/request/message-validation.js';

/** An admin of ADMINS_FILE. */
export interface Admin {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly status: 'active' | 'disabled';
  /** argon2id; null if the file contains none. Then the admin may have one in the table `admin_account`. */
  readonly passwordHash: string | null;
  /** `createdAt` and `updatedAt` are as in the file; null if the file has no such time, or a text that is not ISO 8601. */
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

export type AdminsByEmail = ReadonlyMap<string, Admin>;

/** The admins whose entries are valid, and the fault of the file if it has one. */
export interface AdminsFile {
  readonly admins: AdminsByEmail;
  /** Contains no e-mail address, since the log and the health report show it. */
  readonly fault: string | undefined;
}

// Ids are derived from the e-mail address as the file spells it, in lower case, so that they are the same in every process and version.
const NAMESPACE = '5b7c2a52-6d0e-4c51-9a3a-2f0d6a3f0e11';

class AdminEntry {
  @IsString()
  readonly email!: string;

  @IsArray()
  @IsString({ each: true })
  readonly roles!: string[];

  @IsArray()
  @IsIn(GRANTABLE, { each: true })
  readonly permissions: string[] = [];

  @IsOptional()
  @IsString()
  readonly passwordHash?: string | null;

  @Allow()
  readonly name?: unknown;

  @Allow()
  readonly status?: unknown;

  @Allow()
  readonly createdAt?: unknown;

  @Allow()
  readonly updatedAt?: unknown;
}

/** Never throws. Of two entries with one e-mail address neither is valid. */
export function parseAdminsFile(text: string): AdminsFile {
  const entries = parseJson(text);
  if (!Array.isArray(entries)) return { admins: new Map(), fault: 'it does not hold a JSON list of admins' };
  const parsed = entries.map((entry) => parseEntry(entry));
  const entryCounts = new Map<string, number>();
  for (const admin of parsed)
    if (admin) entryCounts.set(admin.email, (entryCounts.get(admin.email) ?? 0) + 1);
  const isValid = (admin: Admin | undefined): admin is Admin =>
    admin !== undefined && entryCounts.get(admin.email) === 1;
  const invalidNumbers = parsed.flatMap((admin, index) => (isValid(admin) ? [] : [index + 1]));
  return {
    admins: new Map(parsed.filter(isValid).map((admin) => [admin.email, admin])),
    fault:
      invalidNumbers.length === 0
        ? undefined
        : `entry ${invalidNumbers.join(', ')}: every admin needs an email of their own, a list of roles, known permissions and, if any, a passwordHash that is text`,
  };
}

/**
 * The admins that are admitted while the file has a fault for long: the admins whom both the last valid list (`former`) and the present
 * list have, with the roles and permissions that both lists give them; disabled if one of the lists disables them. Names and passwords
 * are those of the present list.
 */
export function intersectionOf(former: AdminsByEmail, present: AdminsByEmail): AdminsByEmail {
  const both = [...present.values()].flatMap((admin) => {
    const formerAdmin = former.get(admin.email);
    if (!formerAdmin) return [];
    const isActive = admin.status === 'active' && formerAdmin.status === 'active';
    return [
      {
        ...admin,
        roles: admin.roles.filter((role) => formerAdmin.roles.includes(role)),
        permissions: permissionsOfBoth(formerAdmin.permissions, admin.permissions),
        status: isActive ? ('active' as const) : ('disabled' as const),
      },
    ];
  });
  return new Map(both.map((admin) => [admin.email, admin]));
}

/** `*` stands for all permissions. */
function permissionsOfBoth(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.includes('*')) return second;
  return second.includes('*') ? first : first.filter((permission) => second.includes(permission));
}

function parseEntry(value: unknown): Admin | undefined {
  const entry = readMessage(AdminEntry, value);
  if (!entry) return undefined;
  const { name, roles, status, passwordHash } = entry;
  const { email } = canonicalEmail(entry.email);
  if (email === undefined) return undefined;
  return {
    id: v5(entry.email.toLowerCase(), NAMESPACE),
    email,
    name: typeof name === 'string' ? name : email,
    roles,
    permissions: permissionsOf(roles, entry.permissions),
    status: status === undefined || status === 'active' ? 'active' : 'disabled',
    passwordHash: passwordHash ?? null,
    createdAt: instantOf(entry.createdAt),
    updatedAt: instantOf(entry.updatedAt),
  };
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/;

/** Null for a value that is not a date or time in ISO 8601. */
function instantOf(text: unknown): Date | null {
  if (typeof text !== 'string' || !INSTANT.test(text)) return null;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
