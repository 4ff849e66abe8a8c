import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { HOUR_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { DELETE_BATCH_ROWS } from '../../../jobs/delete-batch.js';
import { Job } from '../../../jobs/job.decorator.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { FactorsRepository, type StoredPasskey, type StoredTotpSecret } from './factors.repository.js';
import { StepUpsRepository } from './step-ups.repository.js';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Longer than a token can be used after the last moment at which its step-up can be answered. */
const KEPT_MS = HOUR_MS;

@Injectable()
export class ExpiredStepUpsJob {
  constructor(
    private readonly stepUps: StepUpsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /** Deletes nothing while the process's clock is wrong, because valid rows could seem expired. */
  @Job({ name: 'expired-step-ups', purpose: 'Deletes step-ups that have expired', everySeconds: 600 })
  async deleteExpired(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isInSync) return;
    const until = new Date(realNow().getTime() - KEPT_MS);
    while ((await this.stepUps.deleteExpired(until)) === DELETE_BATCH_ROWS && !stopping.aborted);
  }
}

@Injectable()
export class SealedFactorsJob {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly seals: CredentialSealsService,
    private readonly config: AppConfig,
  ) {}

  @Job({
    name: 'sealed-factors',
    purpose:
      'Seals passkeys and secrets of one-time codes under TOKEN_HASH_KEY while TOKEN_HASH_KEY_ALSO is set',
    everySeconds: 600,
    atStart: true,
    exclusive: true,
  })
  async resealFactors(stopping: AbortSignal): Promise<void> {
    if (this.config.TOKEN_HASH_KEY_ALSO.length === 0) return;
    await this.seals.resealRows(
      'passkey',
      {
        findAfter: (last?: StoredPasskey) => this.factors.findPasskeysAfter(last?.id ?? LOWEST_ID),
        replaceSeal: ({ seal }, after) => this.factors.replaceSeal('passkey', seal, after),
      },
      stopping,
    );
    await this.seals.resealRows(
      'totp_secret',
      {
        findAfter: (last?: StoredTotpSecret) => this.factors.findTotpSecretsAfter(last?.subjectId ?? ''),
        replaceSeal: ({ seal }, after) => this.factors.replaceSeal('totp_secret', seal, after),
      },
      stopping,
    );
  }
}
