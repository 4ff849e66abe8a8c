import { PatternInput, TextInput } from '../../http/validation/inputs.js';

export class IdentityLoginDto {
  @TextInput({
    optional: true,
    maxLength: 2000,
    description: 'where the client goes next; kept by the client',
  })
  redirectUrl?: string;
}

export class AdminLoginDto {
  @PatternInput(/^[^\s@]{1,64}@[^\s@]{1,253}\.[^\s@]{1,63}$/, 'must be an e-mail address', {
    code: 'INVALID_EMAIL',
  })
  email!: string;

  @TextInput({ maxLength: 1000 })
  password!: string;
}

export class RefreshDto {
  @TextInput({ maxLength: 200 })
  refreshToken!: string;
}
