// The integrity check without the application, and the seals of rows that a seed has inserted by SQL.
import { CredentialKeys } from '../../dist/common/credential-keys.js';
import { SystemClock } from '../../dist/common/clock.js';
import { sealStoredRecords } from '../../dist/database/credential-conversion.js';
import { Snapshots } from '../../dist/database/snapshots.js';
import { InvariantsRepository } from '../../dist/modules/assurance/integrity/invariants.repository.js';
import { LogCheckRepository } from '../../dist/modules/assurance/proofs/log-check.repository.js';
import { LogCheckService } from '../../dist/modules/assurance/proofs/log-check.service.js';
import { CredentialSealsService } from '../../dist/modules/core/seals/credential-seals.service.js';
import { SealsRepository } from '../../dist/modules/core/seals/seals.repository.js';
import { Meters } from '../../dist/observability/meters.js';
import { SecondSecrets } from '../../dist/observability/second-secrets.js';

const TOKEN_HASH_KEY = 'token-hash-key-of-the-bench-00000000';

export const seals = new CredentialSealsService(
  { TOKEN_HASH_KEY, TOKEN_HASH_KEY_ALSO: [] },
  new SecondSecrets(new Meters()),
);

export function invariantsOf(dataSource) {
  return new InvariantsRepository(
    new Snapshots(dataSource),
    new SystemClock(),
    new LogCheckService(new LogCheckRepository()),
    new SealsRepository(dataSource, seals),
  );
}

export function sealSeededRecords(dataSource) {
  return dataSource.transaction((tx) =>
    sealStoredRecords(tx.queryRunner, new CredentialKeys([TOKEN_HASH_KEY])),
  );
}
