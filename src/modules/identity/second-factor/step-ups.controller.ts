import { Body, Controller, Post } from '@nestjs/common';
import { CurrentPrincipal, type Principal } from '../../../http/auth/principal.js';
import { IdParam } from '../../../http/request/path-params.js';
import { requireOneAnswer } from '../auth/domain/sign-in-factors.js';
import { FactorAnswerRequest } from '../auth/dto/second-factor.request.js';
import { named, routeOf } from './owner-route.decorator.js';
import { CreateStepUpRequest } from './dto/factors.request.js';
import { StepUpResponse, StepUpTokenResponse } from './dto/factors.response.js';
import { sessionOf } from './factors.service.js';
import type { FactorOwner } from './factors.types.js';
import { StepUpsService } from './step-ups.service.js';
import { toResponse } from '../../../http/response/to-response.js';

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

export const StepUpsController = stepUpsController('user');
export const AdminStepUpsController = stepUpsController('admin');
