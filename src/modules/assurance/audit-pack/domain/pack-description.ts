import { createHash } from 'node:crypto';
import type { JsonValue } from '../../../../common/canonical-json.js';
import { dayOf } from '../../../../common/days.js';
import type { DayRange } from '../../../../http/request/date-range.js';
import type { PackLog } from '../audit-pack.types.js';

export function packReadme({ from, to }: DayRange, { origin, size }: PackLog, createdAt: Date): string {
  const today = dayOf(createdAt);
  const unfinished = `
The pack was made on ${today}, before the end of these days. It has the records up to then, and the balances "at the end" of the last
month and the closing balances are those of that moment. Days that were not over have no totals of liabilities and no assets yet.
`;
  return `# Audit pack of ${from} to ${to}

The records of the platform \`${origin}\` for these UTC days, in a form that can be verified without the platform.
The transparency log had ${size} leaves when the pack was made.
${today > to ? '' : unfinished}
    node verify.mjs                     # Node 20 or newer, no packages, no network
    hledger -f journal.hledger check    # a second opinion
    ledger -f journal.hledger bal

\`verify.mjs\` exits with 0 and lists what it found right, or with 1 and names what is wrong. Before you trust it:

1. Compare \`keys.txt\` with the keys that you know from an earlier day, or with \`GET /api/proofs/key\`. The owner of a key can
   sign any pack, so the pack cannot prove its keys itself.
2. Take \`verify.mjs\` from a release of the platform if you do not trust the one in the pack, and run it from outside of this folder
   with the path of the folder: \`node verify.mjs FOLDER\`. Do not replace the file in the pack: the manifest has its hash. Both
   are equal if they belong to the same version of the platform.
3. Compare a checkpoint that you have kept with the line of its size in \`checkpoints.jsonl\`.

| file | contents |
| --- | --- |
| \`manifest.json\`, \`manifest.sig\` | SHA-256 and number of lines of every other file, signed (detached JWS) with the log's key |
| \`keys.txt\` | the public keys of the log, as C2SP signed notes name them |
| \`checkpoints.jsonl\` | the signed checkpoints of these days and the newest one |
| \`hashes.bin\` | the hashes of all leaves of the log, 32 bytes each |
| \`accounts.jsonl\` | every account with its balance before the first and after the last day; credit is positive |
| \`transactions.jsonl\` | the ledger transactions of these days with their place in the log; the hash of \`leaf\` is in \`hashes.bin\` |
| \`navs.jsonl\` | the published values of a unit of each strategy, from the day before the first |
| \`liabilities.jsonl\` | the totals owed to users, as the log contains them |
| \`other-leaves.jsonl\` | the leaves of the log that belong to days before or after these: totals owed to users with their place in the log, and transactions by their indexes; with \`days\` null those that were removed |
| \`assets.jsonl\` | where the assets were when each day was closed, and the part of the liabilities that they cover |
| \`audit.jsonl\` | the actions of admins |
| \`journal.hledger\` | the transactions as a journal, after each month with the balances of the accounts that changed in it; debit is positive |

What the log proves: the transactions and totals of liabilities whose texts are in this pack; no two of these totals are of the same day
and asset. Every leaf of the log is one of them or is named in \`other-leaves.jsonl\`, so that a transaction that was removed from the records is found. Accounts and the journal are
recomputed from the transactions, each net asset value from the one before and its rate. The coverage of the assets is recomputed
from the stated amounts and the liabilities of the log, which must not be below the balances of users at
the end of the day. In the log, transactions of earlier days precede the totals of the day before the first one. A transaction belongs to the day of its \`effectiveAt\`.

What the platform only states, under the signature of the manifest: the audit log, the amounts of the assets, the opening balances,
and that the leaves without a text in \`other-leaves.jsonl\` are transactions of other days. \`verify.mjs\` lists those leaves and balances as \`not verified\`, each file in this folder that the manifest does not list, and the part of
these days for which the log has no totals or no checkpoint yet. A pack that starts with the log has neither opening balances nor earlier transactions.
`;
}

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

interface ManifestHead extends DayRange {
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
