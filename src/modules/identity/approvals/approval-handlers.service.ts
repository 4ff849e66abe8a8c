import { Injectable } from '@nestjs/common';
import { asDomainError } from '../../../common/errors/database-error.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { permits, type Permission } from '../../../http/auth/permissions.js';
import type {
  ApprovalKind,
  ChangeHandler,
  ChangeKind,
  RecordHandler,
  RecordKind,
} from './approvals.types.js';

/** The handlers of all kinds. Modules register theirs at the start. */
@Injectable()
export class ApprovalHandlersService {
  private readonly changes = new Map<ChangeKind, ChangeHandler>();
  private readonly records = new Map<RecordKind, RecordHandler>();

  registerChange(handler: ChangeHandler): void {
    this.changes.set(handler.kind, handler);
  }

  registerRecord(handler: RecordHandler): void {
    this.records.set(handler.kind, handler);
  }

  getChangeHandler(kind: ChangeKind): ChangeHandler {
    return this.changes.get(kind) ?? failUnregistered(kind);
  }

  /** Undefined for a kind whose changes are stored as approvals. */
  findRecordHandler(kind: ApprovalKind): RecordHandler | undefined {
    return this.records.get(kind as RecordKind);
  }

  permissionOf(kind: ApprovalKind): Permission {
    const handler = this.changes.get(kind as ChangeKind) ?? this.records.get(kind as RecordKind);
    return handler?.permission ?? failUnregistered(kind);
  }

  /** The kinds that an admin with these permissions may request and decide. */
  listPermittedKinds(permissions: readonly string[]): ApprovalKind[] {
    return [...this.changes.values(), ...this.records.values()]
      .filter(({ permission }) => permits(permissions, permission))
      .map(({ kind }) => kind);
  }
}

function failUnregistered(kind: string): never {
  throw new Error(`No module has registered a handler of the kind ${kind}.`);
}

/** Thrown in place of the refusal of an approved change, whose transaction is rolled back. */
export class ChangeRefused extends Error {
  constructor(readonly refusal: DomainError) {
    super(refusal.message);
  }
}

/** Throws ChangeRefused if `makeChange` is refused. Faults of the service and of providers are thrown unchanged. */
export async function markRefusals<Result>(makeChange: () => Promise<Result>): Promise<Result> {
  try {
    return await makeChange();
  } catch (error) {
    const refusal = error instanceof DomainError ? error : asDomainError(error);
    throw refusal && refusal.status < 500 ? new ChangeRefused(refusal) : error;
  }
}
