import { integer, looksRandom, type Reader } from './readers.js';
import { REQUIRED, secondOf, setting } from './setting.js';

const SEED_BYTES = 32;

/** The seed of an Ed25519 key. Rejects other texts than base64 that decode to the same bytes: base64url, text without padding. */
const seed: Reader<string> = {
  expects: `${SEED_BYTES} random bytes in base64; make them with: openssl rand -base64 32`,
  read: (value) => {
    const bytes = Buffer.from(value, 'base64');
    const isExact = bytes.length === SEED_BYTES && bytes.toString('base64') === value;
    return isExact && looksRandom(value) ? value : undefined;
  },
};

const logOrigin: Reader<string> = {
  expects: 'a name without spaces and plus signs, such as app.example.com/ledger',
  read: (value) => (/^[^\s+\p{Cc}]{1,200}$/u.test(value) ? value : undefined),
};

/** The settings of the transparency log. */
export const PROOF_SETTINGS = {
  LOG_SIGNING_KEY: setting(
    seed,
    REQUIRED,
    'signs checkpoints of the transparency log and receipts; its public key is published',
    { isSecret: true },
  ),
  LOG_SIGNING_KEY_ALSO: secondOf('LOG_SIGNING_KEY', seed),
  LOG_ORIGIN: setting(
    logOrigin,
    undefined,
    'name of the transparency log, which never changes; by default the host of PUBLIC_URL followed by /ledger',
    { mayBeLocal: true }, // a name, which may look like a URL of this machine
  ),
  LOG_SEAL_SECONDS: setting(integer(1, 3600), 10, 'how often new ledger transactions enter the log'),
  PROOF_RETENTION_DAYS: setting(
    integer(1, 3650),
    90,
    'days for which every checkpoint and the proofs of liabilities are kept; later the last checkpoint of each day',
  ),
} as const;
