import { Global, Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { CredentialSealsService } from './credential-seals.service.js';
import { EndedSealsJob } from './ended-seals.job.js';
import { EndedSealsRepository } from './ended-seals.repository.js';
import { ForgedCredentialsJob } from './forged-credentials.job.js';
import { SealedRecordsJob } from './sealed-records.job.js';
import { SealedRecordsRepository } from './sealed-records.repository.js';

/** Global: the modules of all credentials seal their rows. */
@Global()
@Module({
  imports: [AlertsModule],
  providers: [
    ...[CredentialSealsService, EndedSealsJob, EndedSealsRepository, ForgedCredentialsJob],
    ...[SealedRecordsJob, SealedRecordsRepository],
  ],
  exports: [CredentialSealsService, EndedSealsRepository, SealedRecordsRepository],
})
export class SealsModule {}
