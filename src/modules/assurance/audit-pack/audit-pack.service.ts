import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { dayRange } from '../../../http/request/date-range.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import type { SigningKey } from '../proofs/domain/signing-key.js';
import { LogKeysService } from '../proofs/log-keys.service.js';
import { AuditPackWriterService, packName } from './audit-pack-writer.service.js';
import type { AuditPackQuery } from './dto/audit-pack.request.js';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3660; // ten years

/** Streams packs to admins. */
@Injectable()
export class AuditPackService {
  constructor(
    private readonly clock: Clock,
    private readonly exports: ListExportsService,
    private readonly keys: LogKeysService,
    private readonly writer: AuditPackWriterService,
  ) {}

  /**
   * The archive and its file name. Throws INVALID_DATE_RANGE. Reading `pieces` throws SERVICE_UNAVAILABLE while the admin has
   * another export open, or if too many streams are open.
   */
  streamPack(
    query: AuditPackQuery,
    admin: { readonly id: string; readonly email: string },
  ): { fileName: string; pieces: AsyncGenerator<Buffer, void> } {
    const createdAt = this.clock.now();
    const range = dayRange(query, createdAt, { lastDays: DEFAULT_DAYS, atMost: MAX_DAYS, mayEndLater: true });
    // The first key is that of LOG_SIGNING_KEY; a second one is set while the first is being replaced.
    const [key] = this.keys.signingKeys as readonly [SigningKey, ...SigningKey[]];
    const exported = { list: 'audit-pack', query: range, isLong: true } as const;
    const pieces = this.exports.streamList(admin, exported, (snapshot) =>
      this.writer.writePack(snapshot, { ...range, createdAt, key }),
    );
    return { fileName: `${packName(range)}.tar.gz`, pieces };
  }
}
