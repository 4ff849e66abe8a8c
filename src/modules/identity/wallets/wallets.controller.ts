import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { PublicRoute, UserRoute } from '../../../http/auth/route.js';
import { SessionCookies } from '../../../http/auth/session-cookies.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { SIGN_IN_RESPONSES } from '../auth/dto/auth.response.js';
import { IDENTITY_ERRORS, type Identity } from '../auth/auth.types.js';
import { toSignInEnvelope, type SignInEnvelope } from '../auth/auth.mapper.js';
import { signInContextOf } from '../auth/devices.service.js';
import { CurrentIdentity } from '../auth/auth.strategy.js';
import {
  LinkedWalletResponse,
  WalletBalancesResponse,
  WalletChallengeResponse,
  WalletResponse,
} from './dto/wallet.response.js';
import { toLinkedWalletResponse, toWalletBalancesResponse } from './wallets.mapper.js';
import { WalletCheckRequest, WalletProofRequest, WalletSignInRequest } from './dto/wallets.request.js';
import { WalletsService } from './wallets.service.js';
import { WalletLinksService } from './wallet-links.service.js';
import { toResponse } from '../../../http/response/to-response.js';

const PROOF_ERRORS: ErrorCode[] = [
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
  'SIGNATURE_INVALID',
  'NONCE_EXPIRED',
  'BLOCKCHAIN_ERROR',
  'FORBIDDEN',
];

@Controller('api/auth/wallet')
export class WalletsController {
  constructor(
    private readonly wallets: WalletsService,
    private readonly cookies: SessionCookies,
    private readonly stepUps: StepUps,
    private readonly config: AppConfig,
  ) {}

  @Post('check')
  @PublicRoute({
    operationId: 'createWalletChallenge',
    summary: 'A challenge for a wallet to sign',
    data: WalletChallengeResponse,
    rateClass: 'session',
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_WALLET_ADDRESS'],
  })
  async check(
    @Body() { address }: WalletCheckRequest,
    @Req() { headers }: Request,
  ): Promise<WalletChallengeResponse> {
    const { challenge, isRegistered } = await this.wallets.issueChallenge(address, headers.origin);
    return toResponse(WalletChallengeResponse, challenge, { registered: isRegistered });
  }

  @Post('connect')
  @UserRoute({
    operationId: 'connectWallet',
    summary: 'Link a wallet to the account',
    data: WalletResponse,
    rateClass: 'session',
    stepUp: true,
    errors: [...PROOF_ERRORS, 'SECURITY_HOLD'],
  })
  async connect(
    @CurrentUser() user: UserPrincipal,
    @Body() signed: WalletProofRequest,
    @StepUpToken() token: string | undefined,
  ): Promise<WalletResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'wallet.connect');
    const wallet = await this.wallets.connect(user, signed, stepUp);
    return toResponse(WalletResponse, wallet, { networkId: this.config.CHAIN_ID });
  }

  @Post('login')
  @PublicRoute({
    operationId: 'signInWithWallet',
    summary: 'Sign in with a linked wallet',
    ...SIGN_IN_RESPONSES,
    errors: [...PROOF_ERRORS, 'USER_NOT_FOUND', 'USER_CREATION_ERROR', 'JWT_GENERATION_ERROR'],
  })
  async login(
    @Body() signed: WalletSignInRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInEnvelope> {
    const context = signInContextOf(response.req, signed.session);
    const signedIn = await this.wallets.login(signed, context);
    return toSignInEnvelope(signedIn, signed.session, { response, cookies: this.cookies });
  }

  @Post('register')
  @PublicRoute({
    operationId: 'registerWallet',
    summary: "Sign in with the identity provider's JWT and link a wallet",
    bearer: 'identity-provider',
    ...SIGN_IN_RESPONSES,
    status: 201,
    errors: [...PROOF_ERRORS, ...IDENTITY_ERRORS, 'ACCOUNT_LOCKED', 'SECURITY_HOLD', 'STEP_UP_REQUIRED'],
  })
  async register(
    @CurrentIdentity() identity: Identity,
    @Body() signed: WalletSignInRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInEnvelope> {
    const context = signInContextOf(response.req, signed.session);
    const signedIn = await this.wallets.register(identity, signed, context);
    return toSignInEnvelope(signedIn, signed.session, { response, cookies: this.cookies });
  }
}

@Controller('api/user/wallets')
export class UserWalletsController {
  constructor(
    private readonly links: WalletLinksService,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @UserRoute({
    summary: "The wallets that are linked to the user's account, at most ten",
    data: [LinkedWalletResponse],
  })
  async list(@CurrentUser() user: UserPrincipal): Promise<LinkedWalletResponse[]> {
    return (await this.links.listLinkedWallets(user.id)).map(toLinkedWalletResponse);
  }

  @Delete(':id')
  @UserRoute({
    operationId: 'unlinkWallet',
    summary: 'Unlink a wallet: it cannot sign in any more, and the sessions that it has opened end',
    data: LinkedWalletResponse,
    stepUp: true,
    errors: ['WALLET_NOT_FOUND', 'INVALID_STATE'],
  })
  async unlink(
    @CurrentUser() user: UserPrincipal,
    @IdParam('wallet', 'WALLET_NOT_FOUND') id: string,
    @StepUpToken() token: string | undefined,
  ): Promise<LinkedWalletResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'wallet.unlink');
    return toLinkedWalletResponse(await this.links.unlinkOwn(user, id, stepUp));
  }
}

@Controller('api/balance')
export class WalletBalanceController {
  constructor(
    private readonly wallets: WalletsService,
    private readonly config: AppConfig,
  ) {}

  @Get('wallet')
  @UserRoute({
    operationId: 'listWalletBalances',
    scope: 'balance:read',
    summary: "The user's wallets with their balances on chain",
    data: WalletBalancesResponse,
    errors: ['BLOCKCHAIN_ERROR'],
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<WalletBalancesResponse> {
    return toWalletBalancesResponse(await this.wallets.listBalances(user.id), this.config.CHAIN_ID);
  }
}
