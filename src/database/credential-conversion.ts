import type { QueryRunner } from 'typeorm';
import type { CredentialKeys } from '../common/credential-keys.js';
import { sealedColumnsOf, type SealedRow, type SealedTable } from '../common/sealed-rows.js';
import { SEALED_RECORDS, type RecordTable } from './sealed-records.js';

const BATCH_ROWS = 5000;

interface StoredRows {
  /** SQL after `select`: the rows of an earlier version, with the names of `SEALED_COLUMNS`. */
  readonly select: string;
  /** The column that holds the SHA-256 of a token, by its name in the row and in the table. */
  readonly hash?: readonly [name: string, column: string];
  /** Whether the row still opens something, such as a session, so that it needs a seal; by default every row does. */
  readonly isOpen?: (row: Record<string, unknown>) => boolean;
}

type UnconvertedTable =
  'live_ticket' | 'lock_token' | 'passkey' | 'totp_secret' | 'recovery_code' | 'step_up';

const SESSION_COLUMNS = `family_id as "familyId", subject_type as "subjectType", subject_id as "subjectId", wallet_id as "walletId",
  opened_by as "openedBy", created_at as "createdAt", expires_at as "expiresAt"`;

/**
 * The rows of the former migration 061, which deletes tickets of live delivery, because they are valid for seconds. Second factors and
 * links that lock an account came after it.
 */
const CREDENTIALS: Readonly<Record<Exclude<SealedTable, UnconvertedTable | RecordTable>, StoredRows>> = {
  session: { select: `id, ${SESSION_COLUMNS} from session where revoked_at is null` },
  // Also spent and revoked tokens get their new hash, so that a reuse is still recognised.
  refresh_token: {
    select: `token_hash as "tokenHash", ${SESSION_COLUMNS}, spent_at as "spentAt", revoked_at as "revokedAt", successor from refresh_token`,
    hash: ['tokenHash', 'token_hash'],
    isOpen: ({ spentAt, revokedAt, successor }) =>
      revokedAt === null && (spentAt === null || successor !== null),
  },
  api_key: {
    select: `id, user_id as "userId", key_hash as "keyHash", scopes, networks, created_at as "createdAt",
             expires_at as "expiresAt" from api_key`,
    hash: ['keyHash', 'key_hash'],
  },
  wallet: {
    select: `id, address, user_id as "userId", created_at as "createdAt" from wallet
              where unlinked_at is null and suspended_at is null`,
  },
  wallet_nonce: { select: `nonce, address, expires_at as "expiresAt" from wallet_nonce` },
  admin_account: {
    select: `email, password_hash as "passwordHash", password_set_by as "passwordSetBy", password_set_at as "passwordSetAt",
             password_given_by as "passwordGivenBy", password_given_at as "passwordGivenAt"
        from admin_account where password_hash is not null`,
  },
  approval: {
    select: `id, kind, subject_type as "subjectType", subject_id as "subjectId", subject_label as "subjectLabel",
             change_before as before, change_after as after, input, reason, requested_by as "requestedBy",
             requested_at as "requestedAt", expires_at as "expiresAt"
        from approval where status = 'pending'`,
  },
  webhook_event: {
    select: `id, provider, kind, event_key as "eventKey", body, received_at as "receivedAt" from webhook_event
              where status <> 'processed'`,
  },
  screening_verdict: {
    select: `id, subject, user_id as "userId", verdict, risk_score::float8 as "riskScore", lists, reference,
             screened_at as "screenedAt", accepted_by as "acceptedBy", accept_reason as "acceptReason" from screening_verdict`,
  },
};

/** Tables in which every row needs a seal. In the others a constraint says which rows do. */
const ALWAYS_SEALED: ReadonlySet<string> = new Set<SealedTable>([
  'api_key',
  'wallet_nonce',
  'screening_verdict',
]);

/**
 * Hashes and seals the credentials that an earlier version has stored. Belongs to the section 061 of migrations/upgrade and runs in its
 * transaction, after which the constraints refuse a row without a seal: a row that is written later is never sealed by it.
 */
export async function convertCredentials(
  runner: QueryRunner,
  keys: CredentialKeys | undefined,
): Promise<void> {
  for (const [table, stored] of Object.entries(CREDENTIALS))
    await sealStoredRows(runner, keys, table as SealedTable, stored);
  for (const table of Object.keys(CREDENTIALS)) {
    const isAlwaysSealed = ALWAYS_SEALED.has(table);
    const required = isAlwaysSealed ? 'alter column seal set not null' : `validate constraint ${table}_seal`;
    await runner.query(`alter table ${table} ${required}`);
  }
}

/** Does the same for the section 065 and its records. Throws if the database has seals of another key. */
export async function convertRecords(runner: QueryRunner, keys: CredentialKeys | undefined): Promise<void> {
  if (keys) await requireKeysOfService(runner, keys);
  await sealStoredRecords(runner, keys);
}

/** Seals the deposit addresses and yield reports that an earlier version has stored. */
export async function sealStoredRecords(
  runner: QueryRunner,
  keys: CredentialKeys | undefined,
): Promise<void> {
  for (const [table, select] of Object.entries(SEALED_RECORDS))
    await sealStoredRows(runner, keys, table as SealedTable, { select });
}

/** Throws if none of the seals that it reads was made with one of the keys. A single wrong seal may be that of a forged row. */
async function requireKeysOfService(runner: QueryRunner, keys: CredentialKeys): Promise<void> {
  let sealedCount = 0;
  for (const table of ['wallet', 'admin_account', 'api_key', 'screening_verdict'] as const) {
    const rows = (await runner.query(`select seal, ${CREDENTIALS[table].select} limit 1`)) as StoredRow[];
    for (const row of rows) {
      const columns = sealedColumnsOf(table, row as unknown as SealedRow<SealedTable>);
      if (keys.findKey(table, columns, row.seal as Buffer) >= 0) return;
      sealedCount++;
    }
  }
  if (sealedCount > 0)
    throw new Error(
      'The database has seals of another key. Set TOKEN_HASH_KEY to the key with which the former version ran.',
    );
}

async function sealStoredRows(
  runner: QueryRunner,
  keys: CredentialKeys | undefined,
  table: SealedTable,
  stored: StoredRows,
): Promise<void> {
  await runner.query(`declare stored_row no scroll cursor for select ctid::text as ref, ${stored.select}`);
  for (;;) {
    const rows = (await runner.query(`fetch ${BATCH_ROWS} from stored_row`)) as StoredRow[];
    if (rows.length === 0) break;
    if (!keys)
      throw new Error(
        `The database holds rows without seals (${table}). Set TOKEN_HASH_KEY to the key of the service, which seals them.`,
      );
    await updateRows(runner, table, rows, { stored, keys });
  }
  await runner.query('close stored_row');
}

/** `ref` is the place of the row in its table (`ctid`). */
type StoredRow = Record<string, unknown> & { readonly ref: string };

async function updateRows(
  runner: QueryRunner,
  table: SealedTable,
  rows: readonly StoredRow[],
  { stored: { hash, isOpen = () => true }, keys }: { stored: StoredRows; keys: CredentialKeys },
): Promise<void> {
  const hashes: (Buffer | null)[] = [];
  const seals: (Buffer | null)[] = [];
  for (const row of rows) {
    const hashed = hash && keys.hashOfDigest(row[hash[0]] as Buffer);
    hashes.push(hashed ?? null);
    const converted = (hash ? { ...row, [hash[0]]: hashed } : row) as unknown as SealedRow<SealedTable>;
    seals.push(isOpen(row) ? keys.sealOf(table, sealedColumnsOf(table, converted)) : null);
  }
  // Only an update changes the place of a row. The transaction has locked the table, and the cursor reads each row once, as it was
  // before these updates: so each row is still at its place.
  await runner.query(
    `update ${table} set ${hash ? `${hash[1]} = converted.hash, ` : ''}seal = converted.seal
       from unnest($1::text[], $2::bytea[], $3::bytea[]) as converted (ref, hash, seal)
      where ${table}.ctid = converted.ref::tid`,
    [rows.map(({ ref }) => ref), hashes, seals],
  );
}
