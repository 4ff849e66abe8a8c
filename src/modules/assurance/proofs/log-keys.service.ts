import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JsonValue } from '../../../common/canonical-json.js';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { signCheckpoint } from './domain/checkpoint.js';
import { EMPTY_ROOT } from './domain/merkle-tree.js';
import { type SignedReceipt, SigningKey, signReceipt } from './domain/signing-key.js';
import { LogRepository } from './log.repository.js';

/**
 * The keys that sign checkpoints and receipts. Each process records its public keys at its start or, if its clock is wrong then,
 * before or together with its first signature, so that the published keys verify everything that it signs.
 */
@Injectable()
export class LogKeysService implements OnModuleInit {
  /** The key of LOG_SIGNING_KEY first; a second one while it is being replaced. */
  readonly signingKeys: readonly SigningKey[];
  private isOpen = false;

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: LogRepository,
  ) {
    this.signingKeys = [config.LOG_SIGNING_KEY, config.LOG_SIGNING_KEY_ALSO]
      .filter((seed) => seed !== undefined)
      .map((seed) => new SigningKey(Buffer.from(seed, 'base64')));
  }

  /** In the order of `signingKeys`. */
  get publicKeys(): Buffer[] {
    return this.signingKeys.map(({ publicKey }) => publicKey.bytes);
  }

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

  /**
   * Creates the transparency log, with a checkpoint of size 0, unless it exists, and records the public keys. Does nothing after its
   * first success in this process. Throws SERVICE_UNAVAILABLE while the process's clock is wrong.
   */
  async openLog(): Promise<void> {
    if (this.isOpen) return;
    const now = this.clock.now();
    const origin = this.config.LOG_ORIGIN ?? `${new URL(this.config.PUBLIC_URL).host}/ledger`;
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      if (await this.repository.insertLog(tx, origin)) {
        const note = signCheckpoint({ origin, size: 0, root: EMPTY_ROOT }, this.signingKeys);
        this.repository.insertCheckpoint(tx, { size: 0, root: EMPTY_ROOT, at: now, note });
      }
      this.repository.insertKeys(tx, this.publicKeys, now);
    });
    this.isOpen = true;
  }

  /** Signs a document for a user. Throws SERVICE_UNAVAILABLE as `openLog`. */
  async sign(members: JsonValue): Promise<SignedReceipt> {
    await this.openLog(); // publishes the key before its first signature
    const [key] = this.signingKeys as readonly [SigningKey, ...SigningKey[]];
    return signReceipt(members, key);
  }
}
