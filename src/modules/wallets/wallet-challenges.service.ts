import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { getAddress, type Address } from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { DatabaseClock } from '../../database/database-clock.js';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { ChainClient } from '../blockchain/chain.client.js';

/** What a wallet is asked to sign. */
export interface Challenge {
  /** Checksummed. */
  readonly address: Address;
  readonly nonce: string;
  readonly message: string;
  readonly expiresAt: Date;
}

/** That a wallet signed a challenge which stands: to be spent before anything is done because of it. */
export type Proof = Pick<Challenge, 'address' | 'nonce'>;

const LIFETIME_MS = 300_000;
const NONCE_BYTES = 16;
const SWEPT_AT_ONCE = 50;
const STATEMENT = 'Sign in to the stablecoin investment platform. This costs nothing and moves nothing.';

type Fields = ReturnType<typeof parseSiweMessage>;

/** Challenges of EIP-4361 and who answered them. Real time. */
@Injectable()
export class WalletChallengesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly clock: DatabaseClock,
  ) {}

  /** A new challenge for an address; some that have expired are swept away, so that there are never many. Throws SERVICE_UNAVAILABLE while the clock is wrong. */
  async issue(address: string): Promise<Challenge> {
    this.clock.requireRight();
    const issuedAt = realNow();
    const expiresAt = new Date(issuedAt.getTime() + LIFETIME_MS);
    const owner = checksummed(address);
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    await this.dataSource.query(
      `with swept as (
         delete from wallet_nonce where nonce in (
           select nonce from wallet_nonce where expires_at <= $4 limit ${SWEPT_AT_ONCE} for update skip locked))
       insert into wallet_nonce (nonce, address, expires_at) values ($1, $2, $3)`,
      [nonce, owner, expiresAt, issuedAt],
    );
    const message = createSiweMessage({
      address: owner,
      domain: this.domain,
      uri: this.config.PUBLIC_URL,
      version: '1',
      chainId: this.config.CHAIN_ID,
      statement: STATEMENT,
      nonce,
      issuedAt,
      expirationTime: expiresAt,
    });
    return { address: owner, nonce, message, expiresAt };
  }

  /**
   * Who signed the message. May ask the chain, so it is not for a transaction, and it spends nothing. Throws
   * SIGNATURE_INVALID (with `details.reason`), NONCE_EXPIRED or BLOCKCHAIN_ERROR.
   */
  async prove(message: string, signature: string): Promise<Proof> {
    const fields = parseSiweMessage(message);
    const { address, nonce } = fields;
    if (!address || !nonce) return notSigned('message');
    const fault = this.faultOf(fields);
    if (fault) notSigned(fault);
    if (fields.expirationTime && fields.expirationTime <= realNow()) fail('NONCE_EXPIRED');
    const proof = { address: checksummed(address), nonce };
    await this.requireStanding(proof);
    if (!(await this.chain.isSignedBy(proof.address, message, signature))) notSigned('signature');
    return proof;
  }

  /** Of any number that use a challenge at once, one passes; the others are NONCE_EXPIRED. */
  async spend(tx: Tx, { nonce, address }: Proof): Promise<void> {
    const spent = await tx.query<unknown[]>(
      `with spent as (
         delete from wallet_nonce where nonce = $1 and address = $2 and expires_at > $3 returning nonce)
       select nonce from spent`,
      [nonce, address, realNow()],
    );
    if (spent.length === 0) fail('NONCE_EXPIRED');
  }

  private get domain(): string {
    return new URL(this.config.PUBLIC_URL).host;
  }

  /** What of a message is not meant for us, or not for now. */
  private faultOf(fields: Fields): string | undefined {
    const { uri = '', scheme, chainId, version } = fields;
    const { origin, protocol } = new URL(this.config.PUBLIC_URL);
    if (fields.domain !== this.domain || (scheme && `${scheme}:` !== protocol)) return 'domain';
    if (!URL.canParse(uri) || new URL(uri).origin !== origin) return 'uri';
    if (chainId !== this.config.CHAIN_ID) return 'chainId';
    if (version !== '1') return 'version';
    const { expirationTime: _judgedApart, ...timeless } = fields;
    const time = realNow();
    return validateSiweMessage({ message: timeless, domain: this.domain, time }) ? undefined : 'message';
  }

  /** Asked before the signature is looked at: without a challenge nobody can make us ask the chain. */
  private async requireStanding({ nonce, address }: Proof): Promise<void> {
    const standing = await this.dataSource.query<unknown[]>(
      'select 1 from wallet_nonce where nonce = $1 and address = $2 and expires_at > $3',
      [nonce, address, realNow()],
    );
    if (standing.length === 0) fail('NONCE_EXPIRED');
  }
}

/** However its letters were written. */
export function checksummed(address: string): Address {
  return getAddress(address.toLowerCase());
}

function notSigned(reason: string): never {
  fail('SIGNATURE_INVALID', { reason });
}
