import { Injectable, Logger } from '@nestjs/common';
import { LOWEST_ID } from '../../../common/ids.js';
import { realNow } from '../../../common/clock.js';
import { HOUR_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { Job } from '../../../jobs/job.decorator.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { FactorSecretsService } from './factor-secrets.service.js';
import {
  FactorsRepository,
  type StoredPasskey,
  type StoredTotpSecret,
  StepUpsRepository,
} from './factors.repository.js';

/** How long an expired step-up is kept. An answer in its last moment returns a token, which is valid for less than this time. */
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
    await this.stepUps.deleteExpired(new Date(realNow().getTime() - KEPT_MS), stopping);
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
        replaceSeal: ({ seal }, newSeal) => this.factors.replaceSeal('passkey', seal, newSeal),
      },
      stopping,
    );
    await this.seals.resealRows(
      'totp_secret',
      {
        findAfter: (last?: StoredTotpSecret) => this.factors.findTotpSecretsAfter(last?.subjectId ?? ''),
        replaceSeal: ({ seal }, newSeal) => this.factors.replaceSeal('totp_secret', seal, newSeal),
      },
      stopping,
    );
  }
}

/** Numbers of secrets in a run. */
interface Counts {
  /** Encrypted with the first key by this run. */
  encrypted: number;
  /** Decrypted by neither key. */
  unreadable: number;
}

/**
 * Encrypts secrets of one-time codes with SECOND_FACTOR_KEY while SECOND_FACTOR_KEY_ALSO is set. Runs repeatedly, because processes with
 * the old configuration still encrypt with the other value. The operator may unset SECOND_FACTOR_KEY_ALSO when the log says that no
 * secret needs it.
 */
@Injectable()
export class FactorSecretsJob {
  private readonly log = new Logger('FactorSecrets');

  constructor(
    private readonly factors: FactorsRepository,
    private readonly secrets: FactorSecretsService,
    private readonly seals: CredentialSealsService,
  ) {}

  @Job({
    name: 'factor-secrets',
    purpose: 'Encrypts secrets of one-time codes with SECOND_FACTOR_KEY while SECOND_FACTOR_KEY_ALSO is set',
    everySeconds: 600,
    atStart: true,
    exclusive: true,
  })
  async encryptSecrets(stopping: AbortSignal): Promise<void> {
    if (!this.secrets.hasTwoKeys) return;
    const counts = { encrypted: 0, unreadable: 0 };
    let rows = await this.factors.findTotpSecretsAfter('');
    for (let last = rows.at(-1); last; last = rows.at(-1)) {
      for (const row of rows) {
        if (stopping.aborted) return;
        await this.encryptRow(row, counts);
      }
      rows = await this.factors.findTotpSecretsAfter(last.subjectId);
    }
    if (counts.unreadable > 0)
      this.log.warn(`${counts.unreadable} secret(s) of one-time codes can be decrypted with neither key`);
    this.log.log(
      counts.encrypted > 0
        ? `${counts.encrypted} secret(s) of one-time codes are now encrypted with SECOND_FACTOR_KEY`
        : 'no secret of one-time codes is encrypted with SECOND_FACTOR_KEY_ALSO',
    );
  }

  private async encryptRow(stored: StoredTotpSecret, counts: Counts): Promise<void> {
    if (!this.seals.isAuthentic('totp_secret', stored)) return;
    const secret = this.encrypt(stored);
    if (!secret) counts.unreadable++;
    else if (secret !== stored.secret) {
      const seal = this.seals.sealRow('totp_secret', { ...stored, secret });
      await this.factors.replaceTotpSecret(stored, { secret, seal });
      counts.encrypted++;
    }
  }

  /** Undefined for a secret that neither key decrypts. */
  private encrypt({ subjectType, subjectId, secret }: StoredTotpSecret): Buffer | undefined {
    try {
      return this.secrets.reencrypt(`${subjectType}:${subjectId}`, secret);
    } catch {
      return undefined;
    }
  }
}
