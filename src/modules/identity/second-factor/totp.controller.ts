import { Body, Controller, Delete, Post } from '@nestjs/common';
import { CurrentPrincipal, type Principal } from '../../../http/auth/principal.js';
import { StepUpToken } from '../../../http/auth/step-up.js';
import { named, routeOf } from './owner-route.decorator.js';
import { ConfirmTotpRequest } from './dto/factors.request.js';
import { ConfirmedTotpResponse, FactorsResponse, TotpSecretResponse } from './dto/factors.response.js';
import { FactorsService } from './factors.service.js';
import type { FactorOwner } from './factors.types.js';
import { StepUpsService } from './step-ups.service.js';
import { toResponse } from '../../../http/response/to-response.js';

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

export const TotpController = totpController('user');
export const AdminTotpController = totpController('admin');
