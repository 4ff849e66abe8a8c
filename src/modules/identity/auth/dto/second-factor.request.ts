import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, IsUUID, Matches, ValidateNested } from 'class-validator';
import { IfPresent, TextLength } from '../../../../http/request/input.decorators.js';

const CREDENTIAL = {
  type: 'object',
  additionalProperties: true,
  description: 'what the browser returned, as JSON (`PublicKeyCredential.toJSON()`)',
  example: { id: 'AQIDBA', rawId: 'AQIDBA', type: 'public-key', response: {}, clientExtensionResults: {} },
} as const;

/** The response of a passkey or, at its registration, the passkey. */
export function CredentialInput(): PropertyDecorator {
  return applyDecorators(ApiProperty(CREDENTIAL), IsObject());
}

/** A one-time code of an app. */
export function CodeInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description: 'a code of the app', example: '123456' }),
    Matches(/^\d{6}$/, { message: 'must be the six digits that the app shows' }),
  );
}

/** Exactly one of the three. */
export class FactorAnswerRequest {
  @IfPresent()
  @CredentialInput()
  credential?: object;

  @IfPresent()
  @CodeInput()
  code?: string;

  @IfPresent()
  @ApiProperty({ description: 'an unused recovery code', example: 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX' })
  @TextLength(1, 40)
  recoveryCode?: string;
}

export class SignInAnswerRequest extends FactorAnswerRequest {
  @ApiProperty({ description: 'details.id of SECOND_FACTOR_REQUIRED' })
  @IsUUID('loose')
  id!: string;
}

/** The field with the second factor of an admin's sign-in. */
export function SecondFactorInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: SignInAnswerRequest,
      description:
        'the second factor of an admin, after SECOND_FACTOR_REQUIRED: the id of its details, and exactly one of credential, code and recoveryCode',
    }),
    IfPresent(),
    Type(() => SignInAnswerRequest),
    IsObject(),
    ValidateNested(),
  );
}
