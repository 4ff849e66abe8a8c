import { Global, Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { CredentialSealsService } from './credential-seals.service.js';
import { EndedSealsRepository } from './ended-seals.repository.js';
import { SealedRecordsRepository } from './sealed-records.repository.js';
import { EndedSealsJob, ForgedCredentialsJob, SealedRecordsJob } from './seals.job.js';

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
