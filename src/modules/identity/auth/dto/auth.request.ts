import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, IsUUID, Matches, ValidateNested } from 'class-validator';
import { EmailInput, IfPresent, TextLength } from '../../../../http/request/input.decorators.js';
import { LanguageInput } from '../../users/dto/profile.request.js';
import { SESSION_KINDS, type SessionKind } from '../auth.types.js';

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

class SignInAnswerRequest extends FactorAnswerRequest {
  @ApiProperty({ description: 'details.id of SECOND_FACTOR_REQUIRED' })
  @IsUUID('loose')
  id!: string;
}

/** The field with the second factor of an admin's sign-in. */
function SecondFactorInput(): PropertyDecorator {
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

export function SessionKindInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'cookie: the token is set as a cookie, and the response has a csrfToken instead',
    }),
    IsOptional(),
    IsIn(SESSION_KINDS),
  );
}

export class IdentityLoginRequest {
  @ApiProperty({
    description:
      'destination of the client after the sign-in, at PUBLIC_URL or one of CORS_ORIGINS; returned in the response',
    example: 'http://localhost:3000/welcome',
  })
  @IsOptional()
  @TextLength(1, 2000)
  redirectUrl?: string;

  @SessionKindInput()
  session: SessionKind = 'bearer';

  @LanguageInput(
    'of the page: the first sign-in to an account sets it in the profile, and later ones ignore it',
  )
  language?: string;

  @SecondFactorInput()
  secondFactor?: SignInAnswerRequest;
}

export class AdminLoginRequest {
  @EmailInput('of the admin', 'INVALID_EMAIL')
  email!: string;

  @ApiProperty({ description: 'of the admin' })
  @TextLength(1, 1000)
  password!: string;

  @SecondFactorInput()
  secondFactor?: SignInAnswerRequest;
}

export class RefreshRequest {
  @ApiProperty({ description: 'of the latest sign-in or exchange' })
  @TextLength(1, 200)
  refreshToken!: string;
}

export class ValidateTokenRequest {
  @ApiProperty({ description: "a user's or an admin's token" })
  @TextLength(1, 8000)
  token!: string;
}

const PASSWORD_MINIMUM_LENGTH = 12;

export class AdminRegisterRequest {
  @EmailInput('of the caller, or of the other admin', 'INVALID_EMAIL')
  email!: string;

  @ApiProperty({ description: `the new password, at least ${PASSWORD_MINIMUM_LENGTH} characters` })
  @TextLength(PASSWORD_MINIMUM_LENGTH, 1000)
  password!: string;

  @ApiProperty({
    description: "for one's own password, unless the identity provider has opened the session",
  })
  @IsOptional()
  @TextLength(1, 1000)
  currentPassword?: string;
}
