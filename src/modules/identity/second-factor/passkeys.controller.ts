import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { CurrentPrincipal, type Principal } from '../../../http/auth/principal.js';
import type { RouteOptions } from '../../../http/auth/route.js';
import { StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { named, routeOf } from './owner-route.decorator.js';
import { AddPasskeyRequest } from './dto/factors.request.js';
import {
  AddedPasskeyResponse,
  CeremonyResponse,
  FactorsResponse,
  PasskeyResponse,
} from './dto/factors.response.js';
import { FactorsService } from './factors.service.js';
import type { FactorOwner } from './factors.types.js';
import { StepUpsService } from './step-ups.service.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

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

export const PasskeysController = passkeysController('user');
export const AdminPasskeysController = passkeysController('admin');
