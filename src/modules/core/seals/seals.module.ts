import { Global, Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { CredentialSealsService } from './credential-seals.service.js';
import { SealsRepository } from './seals.repository.js';
import { EndedSealsJob, ForgedCredentialsJob, SealedRecordsJob } from './seals.job.js';

/** Global: the modules of all credentials seal their rows. */
@Global()
@Module({
  imports: [AlertsModule],
  providers: [CredentialSealsService, EndedSealsJob, ForgedCredentialsJob, SealedRecordsJob, SealsRepository],
  exports: [CredentialSealsService, SealsRepository],
})
export class SealsModule {}
