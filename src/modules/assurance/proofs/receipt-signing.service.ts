import { Injectable } from '@nestjs/common';
import type { JsonValue } from '../../../common/canonical-json.js';
import { type SignedReceipt, type SigningKey, signReceipt } from './domain/signing-key.js';
import { LogKeysService } from './log-keys.service.js';
import { LogOpeningService } from './log-opening.service.js';

/** Signs documents for users with the key of the log. */
@Injectable()
export class ReceiptSigningService {
  constructor(
    private readonly keys: LogKeysService,
    private readonly opening: LogOpeningService,
  ) {}

  /** Throws SERVICE_UNAVAILABLE as `openLog`. */
  async sign(members: JsonValue): Promise<SignedReceipt> {
    await this.opening.openLog(); // publishes the key before its first signature
    const [key] = this.keys.signingKeys as readonly [SigningKey, ...SigningKey[]];
    return signReceipt(members, key);
  }
}
