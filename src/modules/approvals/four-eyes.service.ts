import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, ConfigError } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import type { PasswordOrigins } from '../admins/admins.types.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { requireSecondPerson } from './domain/second-person.js';

/** Decides who can be the second person of a change. */
@Injectable()
export class FourEyesService implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
    private readonly clock: Clock,
  ) {}

  /** Throws in production if ADMINS_FILE has too few admins for approvals. */
  onModuleInit(): void {
    if (!this.config.isProduction || !this.isOn || this.admins.countApprovers() >= 2) return;
    throw new ConfigError([
      'ADMINS_FILE lists fewer than two active admins with all permissions (*), so that no change can be approved. ' +
        'Add a second one, or set FOUR_EYES=off and FOUR_EYES_ACCEPTED_RISK=one-admin.',
    ]);
  }

  /** False with FOUR_EYES=off: a change is made at once, by one admin. */
  get isOn(): boolean {
    return this.config.FOUR_EYES === 'on';
  }

  /** Throws FOUR_EYES_REQUIRED unless `second` can decide about what `first` has requested or done. */
  async requireSecondPerson(first: string | null, second: string, manager?: EntityManager): Promise<void> {
    this.checkSecondPerson(await this.findPasswordOrigins(manager), first, second);
  }

  /** For `checkSecondPerson`, where the first person is known only under a lock. */
  findPasswordOrigins(manager?: EntityManager): Promise<PasswordOrigins> {
    return this.accounts.findPasswordOrigins(manager);
  }

  /** As `requireSecondPerson`. */
  checkSecondPerson(origins: PasswordOrigins, first: string | null, second: string): void {
    requireSecondPerson(origins, first, second, this.clock.now());
  }
}
