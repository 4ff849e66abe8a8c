import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DataSource } from 'typeorm';
import { realNow } from '../common/clock.js';
import { isDay, type Day } from '../common/days.js';
import { Snapshots } from '../database/snapshots.js';
import { AuditPackWriterService } from '../modules/assurance/audit-pack/audit-pack-writer.service.js';
import { AuditPackRepository } from '../modules/assurance/audit-pack/audit-pack.repository.js';
import { SigningKey } from '../modules/assurance/proofs/domain/signing-key.js';
import { connectionTo } from './connection.js';

export interface AuditPackCommand {
  readonly databaseUrl: string;
  /** The value of LOG_SIGNING_KEY: the 32 bytes of the Ed25519 seed in Base64. */
  readonly signingKey: string;
  /** UTC days, both inclusive. */
  readonly from: Day;
  readonly to: Day;
}

/**
 * Writes the audit pack of these days to `out` as a .tar.gz. The service may write meanwhile, because all records are read in
 * one snapshot.
 */
export async function writeAuditPack(request: AuditPackCommand, out: Writable): Promise<void> {
  const { databaseUrl, signingKey, from, to } = request;
  for (const day of [from, to])
    if (!isDay(day)) throw new Error(`${day} is not a day. Write it like 2026-01-31.`);
  if (from > to) throw new Error('--from must not be after --to.');
  const key = new SigningKey(Buffer.from(signingKey, 'base64'));
  const dataSource = new DataSource(connectionTo(databaseUrl, 'stablecoin-platform audit-pack'));
  await dataSource.initialize();
  try {
    const writer = new AuditPackWriterService(new AuditPackRepository());
    const snapshot = await new Snapshots(dataSource).openWithoutTimeouts();
    try {
      await pipeline(writer.writePack(snapshot, { from, to, createdAt: realNow(), key }), out);
    } finally {
      await snapshot.close();
    }
  } finally {
    await dataSource.destroy();
  }
}
