import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { CurrentPrincipal, type Principal } from '../../../http/auth/principal.js';
import { AdminRoute, UserRoute, type RouteOptions } from '../../../http/auth/route.js';
import { StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';
import { requireOneAnswer } from '../auth/domain/sign-in.js';
import { FactorAnswerRequest } from '../auth/dto/auth.request.js';
import { AddPasskeyRequest, ConfirmTotpRequest, CreateStepUpRequest } from './dto/factors.request.js';
import {
  AddedPasskeyResponse,
  CeremonyResponse,
  ConfirmedTotpResponse,
  FactorsResponse,
  PasskeyResponse,
  RecoveryCodesResponse,
  StepUpResponse,
  StepUpTokenResponse,
  TotpSecretResponse,
} from './dto/factors.response.js';
import { FactorsService, sessionOf } from './factors.service.js';
import type { FactorOwner } from './factors.types.js';
import { StepUpsService } from './step-ups.service.js';

/** The decorator of the routes that users and admins have alike, under `/api/user` and `/api/admin`. */
function routeOf(type: FactorOwner['type']): (options: RouteOptions) => MethodDecorator {
  return type === 'user' ? UserRoute : (options) => AdminRoute(null, options);
}

/** Names the controller of admins `Admin…`: the ids of operations are made from the name of their controller. */
function named<Controller extends object>(
  type: FactorOwner['type'],
  controller: Controller & { readonly name: string },
): Controller {
  const name = type === 'user' ? controller.name : `Admin${controller.name}`;
  return Object.defineProperty(controller, 'name', { value: name });
}

/**
 * The second factors of an account. No route that shows secrets is idempotent: a stored response would contain the recovery codes.
 */
function factorsController(type: FactorOwner['type']) {
  const Route = routeOf(type);
  @Controller(`api/${type}`)
  class FactorsController {
    constructor(
      private readonly factors: FactorsService,
      private readonly stepUps: StepUpsService,
    ) {}

    @Get('factors')
    @Route({
      operationId: 'listFactors',
      summary: "The account's second factors",
      data: FactorsResponse,
      beforeSecondFactor: true,
    })
    async getFactors(@CurrentPrincipal() owner: Principal): Promise<FactorsResponse> {
      return toResponse(FactorsResponse, await this.factors.getFactors(owner));
    }

    @Post('recovery-codes')
    @Route({
      operationId: 'renewRecoveryCodes',
      summary: 'Make new recovery codes; the former ones are not valid any more',
      status: 201,
      data: RecoveryCodesResponse,
      stepUp: true,
      errors: ['INVALID_STATE'],
    })
    async renewRecoveryCodes(
      @CurrentPrincipal() owner: Principal,
      @StepUpToken() token: string | undefined,
    ): Promise<RecoveryCodesResponse> {
      const check = this.stepUps.checkOf(owner, token, 'recovery-codes.new');
      return { recoveryCodes: await this.factors.renewRecoveryCodes(owner, check) };
    }
  }
  return named(type, FactorsController);
}

const ADD_PASSKEY: RouteOptions = {
  summary: 'Add a passkey; the first factor comes with recovery codes. Ignores Idempotency-Key',
  status: 201,
  data: AddedPasskeyResponse,
  stepUp: true,
  errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'CODE_INVALID', 'LIMIT_REACHED', 'INVALID_STATE'],
  beforeSecondFactor: true,
};

function passkeysController(type: FactorOwner['type']) {
  const Route = routeOf(type);
  @Controller(`api/${type}`)
  class PasskeysController {
    constructor(
      private readonly factors: FactorsService,
      private readonly stepUps: StepUpsService,
    ) {}

    @Get('passkeys')
    @Route({
      summary: "The account's passkeys, at most ten, the oldest first",
      data: [PasskeyResponse],
      beforeSecondFactor: true,
    })
    async listPasskeys(@CurrentPrincipal() owner: Principal): Promise<PasskeyResponse[]> {
      return toResponses(PasskeyResponse, (await this.factors.getFactors(owner)).passkeys);
    }

    @Post('passkeys/options')
    @Route({
      operationId: 'startPasskey',
      summary: 'Begin to add a passkey: the options for the browser, for five minutes',
      status: 201,
      data: CeremonyResponse,
      errors: ['LIMIT_REACHED', 'INVALID_STATE'],
      beforeSecondFactor: true,
    })
    async startPasskey(@CurrentPrincipal() owner: Principal): Promise<CeremonyResponse> {
      return { options: await this.factors.startPasskey(owner) };
    }

    @Post('passkeys')
    @Route(ADD_PASSKEY)
    async addPasskey(
      @CurrentPrincipal() owner: Principal,
      @Body() body: AddPasskeyRequest,
      @StepUpToken() token: string | undefined,
    ): Promise<AddedPasskeyResponse> {
      const check = this.stepUps.checkOf(owner, token, 'factor.add');
      const { passkey, recoveryCodes } = await this.factors.addPasskey(owner, body, check);
      return toResponse(AddedPasskeyResponse, passkey, { recoveryCodes });
    }

    @Delete('passkeys/:id')
    @Route({
      summary: 'Remove a passkey; a security hold of a user begins',
      data: FactorsResponse,
      stepUp: true,
      errors: ['PASSKEY_NOT_FOUND'],
    })
    async removePasskey(
      @CurrentPrincipal() owner: Principal,
      @IdParam('passkey', 'PASSKEY_NOT_FOUND') id: string,
      @StepUpToken() token: string | undefined,
    ): Promise<FactorsResponse> {
      await this.factors.removePasskey(owner, id, this.stepUps.checkOf(owner, token, 'factor.remove'));
      return toResponse(FactorsResponse, await this.factors.getFactors(owner));
    }
  }
  return named(type, PasskeysController);
}

/** One-time codes of an app. */
function totpController(type: FactorOwner['type']) {
  const Route = routeOf(type);
  @Controller(`api/${type}`)
  class TotpController {
    constructor(
      private readonly factors: FactorsService,
      private readonly stepUps: StepUpsService,
    ) {}

    @Post('totp')
    @Route({
      operationId: 'startTotp',
      summary: 'Begin to add one-time codes of an app: the secret, which a code has to confirm',
      status: 201,
      data: TotpSecretResponse,
      stepUp: true,
      errors: ['INVALID_STATE'],
      beforeSecondFactor: true,
    })
    async startTotp(
      @CurrentPrincipal() owner: Principal,
      @StepUpToken() token: string | undefined,
    ): Promise<TotpSecretResponse> {
      const check = this.stepUps.checkOf(owner, token, 'factor.add');
      const secret = await this.factors.startTotp(owner, check);
      const { toDataURL } = await import('qrcode');
      return toResponse(TotpSecretResponse, secret, { qrCode: await toDataURL(secret.otpauthUrl) });
    }

    @Post('totp/confirm')
    @Route({
      summary: 'Confirm the one-time codes by one of them; the first factor comes with recovery codes',
      status: 201,
      data: ConfirmedTotpResponse,
      stepUp: true,
      errors: [
        'MISSING_REQUIRED_FIELD',
        'VALIDATION_ERROR',
        'CODE_INVALID',
        'TOO_MANY_ATTEMPTS',
        'INVALID_STATE',
      ],
      beforeSecondFactor: true,
    })
    async confirmTotp(
      @CurrentPrincipal() owner: Principal,
      @Body() { code }: ConfirmTotpRequest,
      @StepUpToken() token: string | undefined,
    ): Promise<ConfirmedTotpResponse> {
      const check = this.stepUps.checkOf(owner, token, 'factor.add');
      return { recoveryCodes: await this.factors.confirmTotp(owner, code, check) };
    }

    @Delete('totp')
    @Route({
      summary: 'Remove the one-time codes; a security hold of a user begins',
      data: FactorsResponse,
      stepUp: true,
      errors: ['INVALID_STATE'],
    })
    async removeTotp(
      @CurrentPrincipal() owner: Principal,
      @StepUpToken() token: string | undefined,
    ): Promise<FactorsResponse> {
      await this.factors.removeTotp(owner, this.stepUps.checkOf(owner, token, 'factor.remove'));
      return toResponse(FactorsResponse, await this.factors.getFactors(owner));
    }
  }
  return named(type, TotpController);
}

function stepUpsController(type: FactorOwner['type']) {
  const Route = routeOf(type);
  @Controller(`api/${type}/step-up`)
  class StepUpsController {
    constructor(private readonly stepUps: StepUpsService) {}

    @Post()
    @Route({
      summary:
        'Ask for a step-up: a second factor then proves a present person for one action with these details',
      status: 201,
      data: StepUpResponse,
      errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
    })
    async create(
      @CurrentPrincipal() owner: Principal,
      @Body() { action, details }: CreateStepUpRequest,
    ): Promise<StepUpResponse> {
      return toResponse(StepUpResponse, await this.stepUps.createStepUp(sessionOf(owner), action, details));
    }

    @Post(':id/verify')
    @Route({
      summary:
        'Answer a step-up by exactly one of credential, code and recoveryCode; returns the token of the action',
      data: StepUpTokenResponse,
      errors: ['VALIDATION_ERROR', 'CODE_INVALID', 'STEP_UP_INVALID', 'TOO_MANY_ATTEMPTS'],
    })
    async verify(
      @CurrentPrincipal() owner: Principal,
      @IdParam('step-up', 'STEP_UP_INVALID', { details: { reason: 'expired' } }) id: string,
      @Body() answer: FactorAnswerRequest,
    ): Promise<StepUpTokenResponse> {
      requireOneAnswer(answer);
      return toResponse(StepUpTokenResponse, await this.stepUps.verifyStepUp(sessionOf(owner), id, answer));
    }
  }
  return named(type, StepUpsController);
}

export const FactorsController = factorsController('user');
export const AdminFactorsController = factorsController('admin');
export const PasskeysController = passkeysController('user');
export const AdminPasskeysController = passkeysController('admin');
export const TotpController = totpController('user');
export const AdminTotpController = totpController('admin');
export const StepUpsController = stepUpsController('user');
export const AdminStepUpsController = stepUpsController('admin');
