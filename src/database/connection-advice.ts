import { sqlState } from '../common/errors/sql-state.js';

const UNTRUSTED =
  'Name the file with the certificate of the authority that signed it: sslmode=verify-full&sslrootcert=/path/ca.pem in DATABASE_URL.';
const EXPIRED = 'Renew the certificate of PostgreSQL, or correct the clock of this machine.';
const UNKNOWN_HOST = 'Correct the host in DATABASE_URL, or the name servers of this machine.';
const NO_WAY =
  'Correct host and port in DATABASE_URL, and open the firewalls between this machine and PostgreSQL.';

/** What an operator changes, by SQLSTATE, and by the codes of Node.js for the network and for TLS. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user and the password in DATABASE_URL; special characters are percent-encoded.',
  '28000':
    'Permit this role, database and address in pg_hba.conf. The role needs LOGIN; hostssl also needs sslmode=verify-full in DATABASE_URL.',
  '3D000': 'Correct the name of the database in DATABASE_URL, or create it: CREATE DATABASE.',
  '42501': 'Grant the role of DATABASE_URL the right CONNECT on the database.',
  '53300': 'Raise max_connections of PostgreSQL, or lower DATABASE_POOL_SIZE.',
  '57P03': 'PostgreSQL is starting, recovering or ending: read its log.',
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ECONNREFUSED:
    'Start PostgreSQL, let it listen at this address (listen_addresses), or correct host and port in DATABASE_URL.',
  ECONNRESET: NO_WAY,
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: NO_WAY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a host in DATABASE_URL that the certificate of PostgreSQL names.',
  ENOENT: 'Correct the path of sslrootcert, sslcert or sslkey in DATABASE_URL.',
  EACCES: 'Permit the user of the service to read the files of sslrootcert, sslcert and sslkey.',
};

/** The answer of a pooler to the time-outs with which the service connects to PostgreSQL itself. */
const OF_POOLER = /unsupported startup parameter/;

/** Advice about errors of the driver, which have no code, by their message. */
const ADVICE_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [OF_POOLER, 'DATABASE_URL leads through a pooler: set DATABASE_POOLER=transaction.'],
  [
    /does not support SSL/,
    'Set ssl=on with a certificate in PostgreSQL, or remove sslmode from DATABASE_URL if its network is private.',
  ],
  [/accepts writes/, 'Promote a standby, or name all hosts in DATABASE_URL.'],
  [/time-?out/i, `${NO_WAY} If it is only slow, raise DATABASE_POOL_WAIT_MS.`],
];

const GENERAL_ADVICE = 'Correct DATABASE_URL, or read the log of PostgreSQL.';

/** A pooler refuses the connection for ever, so that waiting has no use. */
export function isRefusedByPooler(error: unknown): boolean {
  return OF_POOLER.test((error as Error).message);
}

/** Why the database cannot be used, and what to change. Contains neither addresses with credentials nor passwords. */
export function connectionAdvice(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const reason = message || code || 'no connection';
  const [, byMessage] = ADVICE_BY_MESSAGE.find(([pattern]) => pattern.test(message)) ?? [];
  const byCode = ADVICE_BY_CODE[sqlState(error) ?? code ?? ''];
  return `${reason.replace(/\.?$/, '.')} ${byCode ?? byMessage ?? GENERAL_ADVICE}`;
}
