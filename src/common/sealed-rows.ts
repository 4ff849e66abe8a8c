import type { SealedValue } from './credential-keys.js';

/**
 * The sealed columns of each table with credentials, addresses or yield reports: those that identify a row, and those that decide what
 * the service does because of the row. The names are those of the entities. A column that is not listed may change without a new seal, so
 * nothing may be permitted or paid because of its value.
 */
// prettier-ignore
export const SEALED_COLUMNS = {
  session: ['id', 'familyId', 'subjectType', 'subjectId', 'walletId', 'openedBy', 'createdAt', 'expiresAt'],
  refresh_token: [
    'tokenHash', 'familyId', 'subjectType', 'subjectId', 'walletId', 'openedBy', 'createdAt', 'expiresAt',
    'spentAt', 'successor',
  ],
  api_key: ['id', 'userId', 'keyHash', 'scopes', 'networks', 'createdAt', 'expiresAt'],
  live_ticket: [
    'ticketHash', 'ownerType', 'ownerId', 'sessionId', 'sessionExpiresAt', 'keyId', 'keyScopes', 'keyNetworks',
    'expiresAt',
  ],
  wallet: ['id', 'address', 'userId', 'createdAt', 'suspendedAt', 'unlinkedAt'],
  wallet_nonce: ['nonce', 'address', 'expiresAt'],
  admin_account: [
    'email', 'passwordHash', 'passwordSetBy', 'passwordSetAt', 'passwordGivenBy', 'passwordGivenAt',
  ],
  approval: [
    'id', 'kind', 'subjectType', 'subjectId', 'subjectLabel', 'before', 'after', 'input', 'reason',
    'requestedBy', 'requestedAt', 'expiresAt',
  ],
  webhook_event: ['id', 'provider', 'kind', 'eventKey', 'body', 'receivedAt'],
  screening_verdict: [
    'id', 'subject', 'userId', 'verdict', 'riskScore', 'lists', 'reference', 'screenedAt', 'acceptedBy',
    'acceptReason',
  ],
  passkey: ['id', 'subjectType', 'subjectId', 'credentialId', 'publicKey', 'createdAt'],
  totp_secret: ['subjectId', 'subjectType', 'secret', 'createdAt', 'confirmedAt'],
  recovery_code: ['codeHash', 'subjectType', 'subjectId', 'createdAt', 'usedAt'],
  step_up: [
    'id', 'subjectType', 'subjectId', 'familyId', 'action', 'detailsHash', 'challenge', 'createdAt',
    'expiresAt', 'tokenHash', 'tokenExpiresAt', 'usedAt',
  ],
  lock_token: ['tokenHash', 'userId', 'createdAt', 'expiresAt'],
  withdrawal_address: ['id', 'userId', 'address', 'network', 'createdAt', 'usableFrom'],
  deposit_address: ['id', 'userId', 'currency', 'network', 'address', 'providerAddressId', 'createdAt'],
  yield_report: [
    'id', 'eventId', 'strategyId', 'day', 'state', 'apy', 'usedApy', 'realisedAmount', 'expectedAmount',
    'waitingFor', 'reportedAt',
  ],
} as const satisfies Record<string, readonly string[]>;

export type SealedTable = keyof typeof SEALED_COLUMNS;

/** The sealed columns of a row. */
export type SealedRow<Table extends SealedTable> = Readonly<
  Record<(typeof SEALED_COLUMNS)[Table][number], unknown>
>;

export function sealedColumnsOf<Table extends SealedTable>(
  table: Table,
  row: SealedRow<Table>,
): Record<string, SealedValue> {
  const values = row as Readonly<Record<string, SealedValue>>;
  return Object.fromEntries(SEALED_COLUMNS[table].map((name) => [name, values[name]]));
}
