import { Injectable } from '@nestjs/common';
import { NoteVerifier } from './domain/checkpoint.js';
import { type PublicJwk, PublicKey } from './domain/signing-key.js';
import { LogKeysService } from './log-keys.service.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogRepository } from './log.repository.js';

/** The public keys that have signed anything: those that sign now, then the earlier ones, newest first. */
@Injectable()
export class PublishedKeysService {
  constructor(
    private readonly keys: LogKeysService,
    private readonly opening: LogOpeningService,
    private readonly repository: LogRepository,
  ) {}

  async listJwks(): Promise<PublicJwk[]> {
    return (await this.listPublicKeys()).map(({ jwk }) => jwk);
  }

  /** As `verifierKey+id+key` for checkpoints. */
  async listVerifiers(): Promise<NoteVerifier[]> {
    const keys = await this.listPublicKeys();
    const state = await this.repository.findState();
    return keys.map((key) => new NoteVerifier((state as { origin: string }).origin, key));
  }

  /** Opens the log first, which records the keys of this process. */
  private async listPublicKeys(): Promise<PublicKey[]> {
    await this.opening.openLog();
    const recorded = (await this.repository.findPublicKeys()).map((bytes) => new PublicKey(bytes));
    const present = this.keys.signingKeys.map(({ publicKey }) => publicKey);
    return [...present, ...recorded.filter(({ bytes }) => !present.some((key) => key.bytes.equals(bytes)))];
  }
}
