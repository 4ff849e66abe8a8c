import { Injectable, SetMetadata } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/internal';
import type { IncomingMessage } from 'node:http';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { ApiKeyUses } from '../../../http/auth/api-key-uses.js';
import { AuthenticationGuard } from '../../../http/auth/authentication.guard.js';
import { requireSecondFactor } from '../../../http/auth/authorization.guard.js';
import type { RequestWithPrincipal } from '../../../http/auth/principal.js';
import { ROUTE_RULE, type RouteRule } from '../../../http/auth/route.js';
import { hasOneHost } from '../../../http/request/request-target.js';
import { GracefulShutdown } from '../../../http/resilience/graceful-shutdown.js';
import { callerAddress, networkAddress } from '../../../http/throttling/caller-address.js';
import { RateLimits, type LimitedClass, type RateLimitState } from '../../../http/throttling/rate-limits.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { ownerOf } from './domain/live-messages.js';
import { LIVE_PATH, type LiveOwner, type Opening, type Place } from './live.types.js';
import { EventDeliveryService, ReplaysService } from './event-delivery.service.js';
import { TicketsService } from './tickets.service.js';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';
const RETRY_AFTER_SECONDS = 5;
/** Without a rate class, because `admitUpgrade` counts the upgrade itself. */
const RULE: RouteRule = { access: 'any', rateClass: 'none' };
/** A handler for `AuthenticationGuard`, which reads the rule of a route from the metadata of its handler. */
const openConnection = () => undefined;
SetMetadata(ROUTE_RULE, RULE)(openConnection);

/** An upgrade that waits for its decision. */
export interface PendingUpgrade {
  readonly request: RequestWithPrincipal;
  /** The state of the rate limit that has counted the upgrade; undefined before. */
  limit?: RateLimitState;
}

/** Decides about upgrades before they happen, so that a refusal has a status and the usual body. */
@Injectable()
export class UpgradesService {
  private guard: Promise<AuthenticationGuard> | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly moduleRef: ModuleRef,
    private readonly shutdown: GracefulShutdown,
    private readonly rateLimits: RateLimits,
    private readonly admins: AdminDirectoryService,
    private readonly tickets: TicketsService,
    private readonly delivery: EventDeliveryService,
    private readonly replays: ReplaysService,
    private readonly apiKeyUses: ApiKeyUses,
  ) {}

  /** Throws VALIDATION_ERROR, and FORBIDDEN for an origin that is neither listed nor PUBLIC_URL. */
  requireWellFormed(request: IncomingMessage): void {
    requireHandshake(request);
    if (!hasOneHost(request)) failHandshake();
    requireOrigin(request.headers.origin, [this.config.PUBLIC_URL, ...this.config.CORS_ORIGINS]);
  }

  /**
   * Throws SERVICE_UNAVAILABLE at LIVE_CONNECTIONS, without live delivery, and during the shutdown; RATE_LIMIT_EXCEEDED at
   * LIVE_CONNECTIONS_PER_ADDRESS.
   */
  requireAvailable({ refusal }: Place): void {
    if (refusal === 'address') this.rateLimits.refuse('live-address', RETRY_AFTER_SECONDS);
    if (refusal === null && this.delivery.isReady && !this.shutdown.isClosing) return;
    throwError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /**
   * Authenticates and counts the upgrade, and uses its ticket up. Throws TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED,
   * FORBIDDEN, SECOND_FACTOR_REQUIRED and RATE_LIMIT_EXCEEDED.
   */
  async admitUpgrade(upgrade: PendingUpgrade): Promise<Omit<Opening, 'address'>> {
    const { request } = upgrade;
    const { ticket, after } = parametersOf(request.url);
    const owner =
      ticket === null ? await this.ownerOfHeader(request) : await this.ownerOfTicket(ticket, request);
    await (owner.key
      ? this.rateLimits.countKeyRequest(
          { keyId: owner.key.id, userId: owner.id },
          (state) => (upgrade.limit = state),
        )
      : this.countUpgrade(upgrade, owner.type, owner.id));
    const opening = { owner, start: await this.replays.getStart(owner, after) };
    if (request.principal) this.apiKeyUses.recordUse(request.principal, networkAddress(request));
    return opening;
  }

  /**
   * Counts a refused upgrade for the caller's address, unless it was counted before. Throws RATE_LIMIT_EXCEEDED above the
   * limit of the address.
   */
  async countRefusal(upgrade: PendingUpgrade): Promise<void> {
    if (upgrade.limit) return;
    await this.countUpgrade(upgrade, 'public', `address ${callerAddress(upgrade.request)}`);
  }

  private countUpgrade(upgrade: PendingUpgrade, rateClass: LimitedClass, tracker: string): Promise<void> {
    return this.rateLimits.countCaller(rateClass, {
      tracker,
      showState: (state) => (upgrade.limit = state),
    });
  }

  private async ownerOfTicket(ticket: string, request: RequestWithPrincipal): Promise<LiveOwner> {
    const owner =
      (await this.tickets.redeemTicket(ticket, networkAddress(request))) ?? throwError('TOKEN_INVALID');
    if (owner.type === 'admin' && this.admins.findAdmin(owner.id)?.status !== 'active')
      throwError('TOKEN_INVALID');
    return owner;
  }

  /** Authenticates the header with the guard that all routes have. Ignores cookies. */
  private async ownerOfHeader(request: RequestWithPrincipal): Promise<LiveOwner> {
    if (!request.headers.authorization) throwError('TOKEN_MISSING');
    this.guard ??= this.moduleRef.create(AuthenticationGuard);
    const context = new ExecutionContextHost([request, {}], UpgradesService, openConnection);
    await (await this.guard).canActivate(context);
    if (!request.principal) throw request.refusal ?? throwError('TOKEN_MISSING');
    requireSecondFactor(RULE, request.principal);
    return ownerOf(request.principal);
  }
}

/** True for a request that asks for a WebSocket at the path of live delivery. */
export function isLiveUpgrade({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const [path = ''] = url.split('?');
  return path.replace(/\/$/, '') === LIVE_PATH && /\bwebsocket\b/i.test(headers.upgrade ?? '');
}

/** Throws VALIDATION_ERROR unless the request is a WebSocket handshake (RFC 6455, section 4.1). */
function requireHandshake({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  const isValid =
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === VERSION &&
    KEY.test(headers['sec-websocket-key'] ?? '');
  if (!isValid) failHandshake();
}

export function failHandshake(): never {
  const message = `is not a WebSocket handshake: send GET with Upgrade: websocket, Sec-WebSocket-Version: ${VERSION} and Sec-WebSocket-Key`;
  throwError('VALIDATION_ERROR', [{ field: 'request', message }]);
}

/** Throws FORBIDDEN for a web page of an origin that is not allowed. Programs other than browsers send no Origin. */
function requireOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return;
  const message = 'Web pages of this origin may not connect. Add it to CORS_ORIGINS.';
  throwError('FORBIDDEN', undefined, { message });
}

/** The first value of each of the two query parameters, or null. Other parameters are ignored. */
function parametersOf(url = ''): { ticket: string | null; after: string | null } {
  const parameters = new URLSearchParams(url.split('?')[1] ?? '');
  return { ticket: parameters.get('ticket'), after: parameters.get('after') };
}
