import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { getAddress, type Address } from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { DatabaseClock } from '../../database/database-clock.js';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { ChainClient } from '../blockchain/chain.client.js';
import { WalletsRepository } from './wallets.repository.js';
import type { Challenge, Proof } from './wallets.types.js';

const LIFETIME_MS = 300_000;
const NONCE_BYTES = 16;
const STATEMENT = 'Sign in to the stablecoin investment platform. This costs nothing and moves nothing.';

type MessageFields = ReturnType<typeof parseSiweMessage>;

/** Issues challenges (EIP-4361) and verifies their signatures. Times are real time, not that of the domain clock. */
@Injectable()
export class WalletChallengesService {
  constructor(
    private readonly wallets: WalletsRepository,
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** A new challenge for an address. Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
  async issueChallenge(enteredAddress: string): Promise<Challenge> {
    this.databaseClock.requireRight();
    const issuedAt = realNow();
    const expiresAt = new Date(issuedAt.getTime() + LIFETIME_MS);
    const address = toChecksumAddress(enteredAddress);
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    await this.wallets.insertNonce({ nonce, address, expiresAt }, issuedAt);
    const message = createSiweMessage({
      address,
      domain: this.domain,
      uri: this.config.PUBLIC_URL,
      version: '1',
      chainId: this.config.CHAIN_ID,
      statement: STATEMENT,
      nonce,
      issuedAt,
      expirationTime: expiresAt,
    });
    return { address, nonce, message, expiresAt };
  }

  /**
   * Verifies a signed challenge without spending it. Not to be called in a transaction, since the signature of a smart contract
   * wallet is verified on the chain. Throws SIGNATURE_INVALID (with `details.reason`), NONCE_EXPIRED for a challenge that is
   * expired, used or unknown, or BLOCKCHAIN_ERROR.
   */
  async verifySignature(message: string, signature: string): Promise<Proof> {
    const fields = parseSiweMessage(message);
    const { address, nonce } = fields;
    if (!address || !nonce) return failSignature('message');
    const mismatch = this.findMismatch(fields);
    if (mismatch) failSignature(mismatch);
    if (fields.expirationTime && fields.expirationTime <= realNow()) fail('NONCE_EXPIRED');
    const proof = { address: toChecksumAddress(address), nonce };
    // Checked before the signature, so that only a request with an open challenge can cause a query of the chain.
    if (!(await this.wallets.hasValidNonce(proof, realNow()))) fail('NONCE_EXPIRED');
    if (!(await this.chain.isSignedBy(proof.address, message, signature))) failSignature('signature');
    return proof;
  }

  /** Spends a challenge. Of concurrent requests with one challenge exactly one succeeds; the other ones throw NONCE_EXPIRED. */
  async spendChallenge(tx: Tx, proof: Proof): Promise<void> {
    if (!(await this.wallets.deleteValidNonce(tx, proof, realNow()))) fail('NONCE_EXPIRED');
  }

  private get domain(): string {
    return new URL(this.config.PUBLIC_URL).host;
  }

  /** The reason (`details.reason`) why the message is invalid for this platform or at this time; undefined for a valid one. */
  private findMismatch(fields: MessageFields): string | undefined {
    const { uri = '', scheme, chainId, version } = fields;
    const { origin, protocol } = new URL(this.config.PUBLIC_URL);
    if (fields.domain !== this.domain || (scheme && `${scheme}:` !== protocol)) return 'domain';
    if (!URL.canParse(uri) || new URL(uri).origin !== origin) return 'uri';
    if (chainId !== this.config.CHAIN_ID) return 'chainId';
    if (version !== '1') return 'version';
    const { expirationTime: _, ...otherFields } = fields; // `verifySignature` checks the expiry, which has its own error code
    const time = realNow();
    return validateSiweMessage({ message: otherFields, domain: this.domain, time }) ? undefined : 'message';
  }
}

/** Accepts upper, lower and mixed case. */
export function toChecksumAddress(address: string): Address {
  return getAddress(address.toLowerCase());
}

function failSignature(reason: string): never {
  fail('SIGNATURE_INVALID', { reason });
}
