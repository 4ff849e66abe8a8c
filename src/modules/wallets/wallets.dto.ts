import { PatternInput, TextInput, WalletAddressInput } from '../../http/validation/inputs.js';
import { SessionKindInput } from '../auth/auth.dto.js';
import type { SessionKind } from '../auth/sign-in-answers.js';

export class WalletCheckDto {
  @WalletAddressInput({ code: 'INVALID_WALLET_ADDRESS' })
  address!: string;
}

/** A challenge and its signature. */
export class WalletProofDto {
  @TextInput({ maxLength: 2000, description: 'EIP-4361, with the nonce of wallet/check' })
  message!: string;

  // An account's signature has 65 bytes; what a contract takes for one can be longer.
  @PatternInput(/^0x([0-9a-fA-F]{2}){1,4096}$/, 'must be 0x and up to 4096 bytes in hex', {
    code: 'SIGNATURE_INVALID',
  })
  signature!: string;
}

export class WalletSignInDto extends WalletProofDto {
  @SessionKindInput()
  session: SessionKind = 'bearer';
}
