import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { signCheckpoint } from './domain/checkpoint.js';
import { EMPTY_ROOT } from './domain/merkle-hash.js';
import { LogKeysService } from './log-keys.service.js';
import { LogRepository } from './log.repository.js';

/**
 * Creates the transparency log, with a checkpoint of size 0, unless it exists, and records the public keys of this process.
 * Each process does so at its start or, if its clock is wrong then, before or together with its first signature, so that the
 * published keys verify everything that it signs.
 */
@Injectable()
export class LogOpeningService implements OnModuleInit {
  private isOpen = false;

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: LogKeysService,
    private readonly repository: LogRepository,
  ) {}

  /** Throws if LOG_ORIGIN differs from the stored name of the log, which is part of every published key and signed checkpoint. */
  async onModuleInit(): Promise<void> {
    const origin = (await this.repository.findState())?.origin;
    const { LOG_ORIGIN: configured } = this.config;
    if (origin !== undefined && configured !== undefined && configured !== origin)
      throw new Error(
        `LOG_ORIGIN is ${configured}, but the log is named ${origin}. Set LOG_ORIGIN to that name or remove it.`,
      );
    try {
      await this.openLog();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error; // the clock is wrong: sealing and receipts call `openLog` again
    }
  }

  /** Does nothing after its first success in this process. Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
  async openLog(): Promise<void> {
    if (this.isOpen) return;
    const now = this.clock.now();
    const keys = this.keys.signingKeys;
    const origin = this.config.LOG_ORIGIN ?? `${new URL(this.config.PUBLIC_URL).host}/ledger`;
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      if (await this.repository.insertLog(tx, origin)) {
        const note = signCheckpoint({ origin, size: 0, root: EMPTY_ROOT }, keys);
        this.repository.insertCheckpoint(tx, { size: 0, root: EMPTY_ROOT, at: now, note });
      }
      this.repository.insertKeys(tx, this.keys.publicKeys, now);
    });
    this.isOpen = true;
  }
}
