import { ChoiceInput, PatternInput, TextInput } from '../../http/validation/inputs.js';
import { SESSION_KINDS, type SessionKind } from './sign-in-answers.js';

/** Where the token of a sign-in is kept. */
export function SessionKindInput(): PropertyDecorator {
  return ChoiceInput(SESSION_KINDS, {
    optional: true,
    description: 'cookie: the token comes in a cookie, the answer has a csrfToken instead',
  });
}

export class IdentityLoginDto {
  @TextInput({
    optional: true,
    maxLength: 2000,
    description: 'where the client goes next: at PUBLIC_URL or one of CORS_ORIGINS; given back in the answer',
    example: 'http://localhost:3000/welcome',
  })
  redirectUrl?: string;

  @SessionKindInput()
  session: SessionKind = 'bearer';
}

function EmailInput(): PropertyDecorator {
  return PatternInput(/^[^\s@]{1,64}@[^\s@]{1,253}\.[^\s@]{1,63}$/, 'must be an e-mail address', {
    code: 'INVALID_EMAIL',
  });
}

export class AdminLoginDto {
  @EmailInput()
  email!: string;

  @TextInput({ maxLength: 1000 })
  password!: string;
}

export class RefreshDto {
  @TextInput({ maxLength: 200 })
  refreshToken!: string;
}

export class ValidateTokenDto {
  @TextInput({ maxLength: 8000, description: "a user's or an admin's token" })
  token!: string;
}

const PASSWORD_MINIMUM_LENGTH = 12;

export class AdminRegisterDto {
  @EmailInput()
  email!: string;

  @TextInput({ minLength: PASSWORD_MINIMUM_LENGTH, maxLength: 1000 })
  password!: string;
}
