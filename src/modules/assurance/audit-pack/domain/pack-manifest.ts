import { createHash } from 'node:crypto';
import type { JsonValue } from '../../../../common/canonical-json.js';
import type { DayRange } from '../../../../http/request/date-range.js';

const MANIFEST_VERSION = 1;
const LINE_FEED = 0x0a;

/** A file in the manifest's list of files. */
export interface FileSummary {
  readonly name: string;
  readonly bytes: number;
  /** Base64. */
  readonly sha256: string;
  /** Line feeds, as `wc -l` counts them. */
  readonly lines: number;
}

/** Hashes and counts a file piece by piece. */
export class FileDigest {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private lines = 0;

  addPiece(piece: Buffer): void {
    this.hash.update(piece);
    this.bytes += piece.length;
    let position = piece.indexOf(LINE_FEED);
    for (; position >= 0; position = piece.indexOf(LINE_FEED, position + 1)) this.lines += 1;
  }

  summary(name: string): FileSummary {
    return { name, bytes: this.bytes, sha256: this.hash.digest('base64'), lines: this.lines };
  }
}

export interface ManifestHead extends DayRange {
  readonly origin: string;
  /** Size and root of the newest checkpoint in the pack. */
  readonly size: number;
  readonly root: Buffer;
  readonly createdAt: Date;
}

export function manifestOf(head: ManifestHead, files: readonly FileSummary[]): JsonValue {
  const { origin, from, to, size, root, createdAt } = head;
  return {
    v: MANIFEST_VERSION,
    kind: 'audit-pack',
    origin,
    from,
    to,
    createdAt: createdAt.toISOString(),
    log: { size, root: root.toString('base64') },
    files: files.map(({ name, bytes, sha256, lines }) => ({ name, bytes, sha256, lines })),
  };
}
