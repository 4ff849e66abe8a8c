import { secret, secrets } from './readers.js';
import { REQUIRED, setting } from './setting.js';

/** The keys of stored credentials: sessions, tokens, API keys, wallets, passwords of admins. */
export const TOKEN_SETTINGS = {
  TOKEN_HASH_KEY: setting(
    secret(32, { withoutCommas: true }),
    REQUIRED,
    'hashes tokens and seals credentials in the database, so that a row written by somebody else opens nothing; without this key all sessions end',
    { isSecret: true },
  ),
  TOKEN_HASH_KEY_ALSO: setting(
    secrets(32),
    [] as string[],
    'further values, separated by commas, accepted beside TOKEN_HASH_KEY while it is replaced: docs/operations.md, "Rotating secrets"',
    { isSecret: true },
  ),
} as const;
