import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsObject } from 'class-validator';
import { EmailInput, LineInput } from '../../../../http/request/input.decorators.js';
import { STEP_UP_ACTIONS, type StepUpAction } from '../../../../http/auth/step-up.js';
import { DETAILS_BY_ACTION } from '../domain/step-up-actions.js';
import { CodeInput, CredentialInput } from '../../auth/dto/auth.request.js';

export class AddPasskeyRequest {
  @LineInput({ maxLength: 60, description: 'to tell passkeys apart', example: 'Laptop' })
  name!: string;

  @CredentialInput()
  credential!: object;
}

export class ConfirmTotpRequest {
  @CodeInput()
  code!: string;
}

export class ResetAdminFactorsRequest {
  @EmailInput('of the admin whose second factors are removed', 'INVALID_EMAIL')
  email!: string;

  @LineInput({ maxLength: 500, description: 'for the second admin and the audit log', example: 'Lost phone' })
  reason!: string;
}

export class CreateStepUpRequest {
  @ApiProperty({
    enum: [...STEP_UP_ACTIONS],
    description: 'the action that the token will allow',
    example: 'withdrawal.request',
  })
  @IsIn(STEP_UP_ACTIONS)
  action!: StepUpAction;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: `the values that the action will have; the token covers no other ones. ${DETAILS_BY_ACTION}`,
    example: { amount: '100.00', currency: 'USDC', toAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
  })
  @IsObject()
  details!: Record<string, unknown>;
}
