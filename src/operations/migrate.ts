import { DataSource } from 'typeorm';
import { CredentialKeys } from '../common/credential-keys.js';
import { TOKEN_SETTINGS } from '../config/token-settings.js';
import { connectionAdvice } from '../database/connection-advice.js';
import { MIGRATING } from '../database/data-source.js';
import { migrate, migrationsFromFiles } from '../database/migrations.js';
import { connectionTo } from './connection.js';

/** Runs the pending migrations without starting the API. `tokenHashKey`: the value of TOKEN_HASH_KEY. */
export async function migrateDatabase(
  { databaseUrl, tokenHashKey }: { databaseUrl: string; tokenHashKey: string | undefined },
  say: (line: string) => void,
): Promise<void> {
  const { reader } = TOKEN_SETTINGS.TOKEN_HASH_KEY;
  if (tokenHashKey && reader.read(tokenHashKey) === undefined)
    throw new Error(`TOKEN_HASH_KEY: ${reader.expects}`);
  const dataSource = new DataSource({
    ...connectionTo(databaseUrl, MIGRATING),
    migrations: migrationsFromFiles(tokenHashKey ? new CredentialKeys([tokenHashKey]) : undefined),
  });
  await dataSource.initialize().catch((error: unknown) => {
    throw new Error(connectionAdvice(error), { cause: error });
  });
  try {
    const executedCount = await migrate(dataSource, say);
    if (executedCount === 0) say('database: nothing to migrate');
  } finally {
    await dataSource.destroy();
  }
}
