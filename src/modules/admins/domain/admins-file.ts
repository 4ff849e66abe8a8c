import { Allow, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { v5 } from 'uuid';
import { GRANTABLE, permissionsOf } from '../../../http/auth/permissions.js';
import { parseJson, readMessage } from '../../../http/request/message-validation.js';

/** An admin as the configuration lists them. */
export interface Admin {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly status: 'active' | 'disabled';
  /** argon2id; null for one who signs in through the identity provider only. */
  readonly passwordHash: string | null;
  /** As the file states them for this admin; null where it does not. */
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

export type AdminsByEmail = ReadonlyMap<string, Admin>;

/** What a file says: the admins whose entries are valid, and why it is not to be relied on, if so. */
export interface AdminsFile {
  readonly admins: AdminsByEmail;
  /** Names no e-mail address: the log and the health report show it. */
  readonly fault: string | undefined;
}

// Ids follow from the e-mail address, so that they are the same in every process.
const NAMESPACE = '5b7c2a52-6d0e-4c51-9a3a-2f0d6a3f0e11';

/** An entry of the file. */
class AdminEntry {
  @Matches(/^[^\s@]+@[^\s@]+$/)
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
  const parsed = entries.map((entry) => asAdmin(entry));
  const counts = new Map<string | undefined, number>();
  for (const admin of parsed) counts.set(admin?.email, (counts.get(admin?.email) ?? 0) + 1);
  const valid = parsed.filter(
    (admin): admin is Admin => counts.get(admin?.email) === 1 && admin !== undefined,
  );
  const invalid = parsed.flatMap((admin, place) => (admin && valid.includes(admin) ? [] : [place + 1]));
  return {
    admins: new Map(valid.map((admin) => [admin.email, admin])),
    fault:
      invalid.length === 0
        ? undefined
        : `entry ${invalid.join(', ')}: every admin needs an email of their own, a list of roles and known permissions`,
  };
}

/** Those who stand in both lists, with what both permit. */
export function lesserOf(former: AdminsByEmail, present: AdminsByEmail): AdminsByEmail {
  const both = [...present.values()].flatMap((admin) => {
    const before = former.get(admin.email);
    if (!before) return [];
    const isActive = admin.status === 'active' && before.status === 'active';
    return [
      {
        ...admin,
        roles: admin.roles.filter((role) => before.roles.includes(role)),
        permissions: permittedByBoth(before.permissions, admin.permissions),
        status: isActive ? ('active' as const) : ('disabled' as const),
      },
    ];
  });
  return new Map(both.map((admin) => [admin.email, admin]));
}

function permittedByBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.includes('*')) return other;
  return other.includes('*') ? one : one.filter((permission) => other.includes(permission));
}

function asAdmin(value: unknown): Admin | undefined {
  const entry = readMessage(AdminEntry, value);
  if (!entry) return undefined;
  const { name, roles, status, passwordHash } = entry;
  const email = entry.email.toLowerCase();
  return {
    id: v5(email, NAMESPACE),
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

/** Of an ISO 8601 text; null for anything else. */
function instantOf(text: unknown): Date | null {
  if (typeof text !== 'string' || !INSTANT.test(text)) return null;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
