import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { getAddress, type Address } from 'viem';
import { createSiweMessage, parseSiweMessage, validateSiweMessage, type SiweMessage } from 'viem/siwe';
import { realNow } from '../../../common/clock.js';
import { MINUTE_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { parsedUrl } from '../../../common/parsed-url.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { CredentialSealsService, type Seal } from '../../core/seals/credential-seals.service.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import type { WalletNonce } from './entities/wallet.entity.js';
import { WalletsRepository } from './wallets.repository.js';
import type { Challenge, Proof } from './wallets.types.js';

/** Stands for the host while viem handles a message, because viem rejects hosts such as xn--p1ai, app_1, [::1] and names without a dot. */
const PLACEHOLDER = 'localhost';
const HOST_OF_MESSAGE = /^((?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)?)([^\s/?#@]+)(?= wants you to sign in )/;

type SignInMessage = ReturnType<typeof parseSiweMessage>;

/** A message according to EIP-4361. `domain` is a host as in a URL, with a port unless it is the default one. */
export function createSignInMessage({ domain, ...fields }: SiweMessage): string {
  return createSiweMessage({ ...fields, domain: PLACEHOLDER }).replace(PLACEHOLDER, domain);
}

/** The fields of a message; those that it lacks are undefined. */
export function parseSignInMessage(message: string): SignInMessage {
  const [, , domain] = HOST_OF_MESSAGE.exec(message) ?? [];
  const fields = parseSiweMessage(message.replace(HOST_OF_MESSAGE, `$1${PLACEHOLDER}`));
  return domain === undefined ? fields : { ...fields, domain };
}

const LIFETIME_MS = 5 * MINUTE_MS;
const NONCE_BYTES = 16;
const STATEMENT = 'Sign in to the stablecoin investment platform. This costs nothing and moves nothing.';

/** Issues challenges (EIP-4361) and verifies their signatures. Times are real time, not that of the domain clock. */
@Injectable()
export class WalletChallengesService {
  constructor(
    private readonly wallets: WalletsRepository,
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly databaseClock: DatabaseClock,
    private readonly seals: CredentialSealsService,
  ) {}

  /**
   * A new challenge for an address, for the web application at `origin` or, if the origin is not listed, at PUBLIC_URL: wallets warn
   * of a message for another domain than that of the page. Throws SERVICE_UNAVAILABLE while the process's clock is wrong.
   */
  async issueChallenge(enteredAddress: string, origin?: string): Promise<Challenge> {
    this.databaseClock.assertInSync();
    const issuedAt = realNow();
    const expiresAt = new Date(issuedAt.getTime() + LIFETIME_MS);
    const address = toChecksumAddress(enteredAddress);
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const row = { nonce, address, expiresAt };
    const seal = this.seals.sealRow('wallet_nonce', row);
    await this.wallets.insertNonce({ ...row, seal }, issuedAt);
    const { PUBLIC_URL, CORS_ORIGINS } = this.config;
    const site = CORS_ORIGINS.find((listed) => listed === origin) ?? PUBLIC_URL;
    const message = createSignInMessage({
      address,
      domain: new URL(site).host,
      uri: site,
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
    const fields = parseSignInMessage(message);
    const { address, nonce } = fields;
    if (!address || !nonce) return failSignature('message');
    const mismatch = this.findMismatch(fields);
    if (mismatch) failSignature(mismatch);
    if (fields.expirationTime && fields.expirationTime <= realNow()) throwError('NONCE_EXPIRED');
    const proof = { address: toChecksumAddress(address), nonce };
    // Checked before the signature, so that only a request with an open challenge can cause a query of the chain.
    if (!this.isOpen(proof, await this.wallets.findNonce(nonce))) throwError('NONCE_EXPIRED');
    if (!(await this.chain.isSignedBy(proof.address, message, signature))) failSignature('signature');
    return proof;
  }

  /** Spends a challenge. Of concurrent requests with one challenge exactly one succeeds, and all others throw NONCE_EXPIRED. */
  async spendChallenge(tx: Tx, proof: Proof): Promise<void> {
    if (!this.isOpen(proof, await this.wallets.deleteNonce(tx, proof.nonce))) throwError('NONCE_EXPIRED');
  }

  private isOpen({ address }: Proof, stored: (WalletNonce & Seal) | undefined): boolean {
    if (!stored || stored.address !== address || stored.expiresAt <= realNow()) return false;
    return this.seals.isAuthentic('wallet_nonce', stored);
  }

  /** The reason (`details.reason`) why the message is invalid for this platform or at this time; undefined for a valid one. */
  private findMismatch(fields: SignInMessage): string | undefined {
    const { domain, uri = '', scheme, chainId, version } = fields;
    const sites = [this.config.PUBLIC_URL, ...this.config.CORS_ORIGINS].map((site) => new URL(site));
    const isOf = (site: URL) => site.host === domain && (!scheme || site.protocol === `${scheme}:`);
    if (!sites.some(isOf)) return 'domain';
    const address = parsedUrl(uri);
    if (!address || !sites.some((site) => isAt(site, address))) return 'uri';
    if (chainId !== this.config.CHAIN_ID) return 'chainId';
    if (version !== '1') return 'version';
    const { expirationTime: _, ...otherFields } = fields; // `verifySignature` checks the expiry, which has its own error code
    return validateSiweMessage({ message: otherFields, time: realNow() }) ? undefined : 'message';
  }
}

/** Compares parts, because the property `origin` of URLs with a scheme of an application, such as capacitor:, is "null". */
function isAt({ protocol, host }: URL, address: URL): boolean {
  return address.protocol === protocol && address.host === host;
}

/** Accepts upper, lower and mixed case. */
export function toChecksumAddress(address: string): Address {
  return getAddress(address.toLowerCase());
}

function failSignature(reason: string): never {
  const field = reason === 'signature' ? 'signature' : 'message';
  throwError('SIGNATURE_INVALID', { fields: [{ field, message: `is not valid: ${reason}` }], reason });
}
