import { readFileSync, statSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { v5 } from 'uuid';
import { AppConfig } from '../../config/app-config.js';
import { isPermission, permissionsOf } from '../../http/auth/permissions.js';

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

// Ids follow from the e-mail address, so that they are the same in every process.
const NAMESPACE = '5b7c2a52-6d0e-4c51-9a3a-2f0d6a3f0e11';
const LOOK_EVERY_MS = 500;

/**
 * The admins of ADMINS_FILE (D14). The file is looked at again when it has changed, so that a removed admin is
 * out within a second.
 */
@Injectable()
export class AdminDirectory {
  private admins = new Map<string, Admin>();
  private changedMs = -1;
  private lookedMs = -Infinity;

  constructor(private readonly config: AppConfig) {
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

  private look(): void {
    const now = performance.now();
    if (now - this.lookedMs < LOOK_EVERY_MS) return;
    this.lookedMs = now;
    const { mtimeMs } = statSync(this.config.ADMINS_FILE);
    if (mtimeMs === this.changedMs) return;
    const entries = JSON.parse(readFileSync(this.config.ADMINS_FILE, 'utf8')) as unknown;
    if (!Array.isArray(entries)) throw new Error('ADMINS_FILE must hold a JSON list of admins');
    this.admins = new Map(entries.map((entry) => asAdmin(entry)).map((admin) => [admin.email, admin]));
    this.changedMs = mtimeMs;
  }
}

function asAdmin(entry: unknown): Admin {
  const { email, name, roles, permissions = [], status, passwordHash } = entry as Record<string, unknown>;
  if (
    typeof email !== 'string' ||
    !Array.isArray(roles) ||
    !roles.every((role) => typeof role === 'string')
  ) {
    throw new Error('ADMINS_FILE: every admin needs an email and a list of roles');
  }
  if (!Array.isArray(permissions) || !permissions.every(isPermission))
    throw new Error(`ADMINS_FILE: permissions of ${email} must be a list of known permissions`);
  const address = email.toLowerCase();
  return {
    id: v5(address, NAMESPACE),
    email: address,
    name: typeof name === 'string' ? name : address,
    roles,
    permissions: permissionsOf(roles, permissions),
    status: status === undefined || status === 'active' ? 'active' : 'disabled',
    passwordHash: typeof passwordHash === 'string' ? passwordHash : null,
    createdAt: instantOf((entry as Record<string, unknown>).createdAt),
    updatedAt: instantOf((entry as Record<string, unknown>).updatedAt),
  };
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/;

/** Of an ISO 8601 text; null for anything else. */
function instantOf(text: unknown): Date | null {
  if (typeof text !== 'string' || !INSTANT.test(text)) return null;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
