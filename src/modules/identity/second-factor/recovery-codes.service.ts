import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { recoveryCodeText } from './domain/recovery-code.js';
import { FactorsRepository } from './factors.repository.js';
import type { FactorOwner } from './factors.types.js';

const RECOVERY_CODES = 10;

/** Makes recovery codes, which are stored as hashes. */
@Injectable()
export class RecoveryCodesService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly seals: CredentialSealsService,
  ) {}

  async insertCodes(tx: Tx, owner: FactorOwner): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    const createdAt = realNow();
    const rows = codes.map((code) => {
      const codeHash = this.seals.hashToken(recoveryCodeText(owner, code));
      const row = { codeHash, subjectType: owner.type, subjectId: owner.id, createdAt, usedAt: null };
      return { ...row, seal: this.seals.sealRow('recovery_code', row) };
    });
    await this.factors.insertRecoveryCodes(tx, rows);
    return codes;
  }
}

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Six groups of four characters: 120 random bits. */
function newRecoveryCode(): string {
  const characters = [...randomBytes(24)].map((byte) => BASE_32[byte % 32]).join('');
  return (characters.match(/.{4}/g) as string[]).join('-');
}
