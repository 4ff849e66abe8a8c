import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { SigningKey } from './domain/signing-key.js';

/** The keys that sign checkpoints and receipts. */
@Injectable()
export class LogKeysService {
  /** The key of LOG_SIGNING_KEY first; a second one while it is being replaced. */
  readonly signingKeys: readonly SigningKey[];

  constructor(config: AppConfig) {
    this.signingKeys = [config.LOG_SIGNING_KEY, config.LOG_SIGNING_KEY_ALSO]
      .filter((seed) => seed !== undefined)
      .map((seed) => new SigningKey(Buffer.from(seed, 'base64')));
  }

  /** In the order of `signingKeys`. */
  get publicKeys(): Buffer[] {
    return this.signingKeys.map(({ publicKey }) => publicKey.bytes);
  }
}
