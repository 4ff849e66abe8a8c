import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AdminFactorResetsController } from './admin-factor-resets.controller.js';
import { AdminFactorResetsService } from './admin-factor-resets.service.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { SignInFactors } from '../auth/domain/sign-in.js';
import { StepUps } from '../../../http/auth/step-up.js';
import { UserFactors } from '../users/domain/account-restrictions.js';
import { UsersModule } from '../users/users.module.js';
import { Passkey, TotpSecret, RecoveryCode, StepUp } from './entities/factor.entity.js';
import { FactorOwnersService } from './factor-owners.service.js';
import { FactorSecretsService } from './factor-secrets.service.js';
import { FactorVerificationService, FactorAttemptsService } from './factor-verification.service.js';
import {
  AdminFactorsController,
  AdminPasskeysController,
  AdminStepUpsController,
  AdminTotpController,
  FactorsController,
  PasskeysController,
  StepUpsController,
  TotpController,
} from './factors.controller.js';
import { ExpiredStepUpsJob, FactorSecretsJob, SealedFactorsJob } from './factors.job.js';
import { FactorsRepository, StepUpsRepository } from './factors.repository.js';
import { FactorsService } from './factors.service.js';
import { SignInFactorsService } from './sign-in-factors.service.js';
import { StepUpsService } from './step-ups.service.js';
import { WebauthnService } from './webauthn.service.js';

/** Global, because each module with an action that needs a step-up injects `StepUps`, and the sign-in of admins `SignInFactors`. */
@Global()
@Module({
  imports: [
    AuditModule,
    AuthModule,
    TypeOrmModule.forFeature([Passkey, RecoveryCode, StepUp, TotpSecret]),
    UsersModule,
  ],
  controllers: [
    FactorsController,
    AdminFactorsController,
    AdminFactorResetsController,
    PasskeysController,
    AdminPasskeysController,
    TotpController,
    AdminTotpController,
    StepUpsController,
    AdminStepUpsController,
  ],
  providers: [
    AdminFactorResetsService,
    ExpiredStepUpsJob,
    FactorAttemptsService,
    FactorOwnersService,
    FactorSecretsJob,
    FactorSecretsService,
    FactorVerificationService,
    FactorsRepository,
    { provide: UserFactors, useExisting: FactorsRepository },
    FactorsService,
    SealedFactorsJob,
    SignInFactorsService,
    { provide: SignInFactors, useExisting: SignInFactorsService },
    StepUpsRepository,
    StepUpsService,
    { provide: StepUps, useExisting: StepUpsService },
    WebauthnService,
  ],
  exports: [FactorsService, SignInFactors, StepUps, UserFactors],
})
export class SecondFactorModule {}
