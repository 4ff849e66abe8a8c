import { Controller, Get, Post } from '@nestjs/common';
import { CurrentPrincipal, type Principal } from '../../../http/auth/principal.js';
import { StepUpToken } from '../../../http/auth/step-up.js';
import { FactorsResponse, RecoveryCodesResponse } from './dto/factors.response.js';
import { FactorsService } from './factors.service.js';
import type { FactorOwner } from './factors.types.js';
import { named, routeOf } from './owner-route.decorator.js';
import { StepUpsService } from './step-ups.service.js';
import { toResponse } from '../../../http/response/to-response.js';

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

export const FactorsController = factorsController('user');
export const AdminFactorsController = factorsController('admin');
