import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { TextLength, WalletAddressInput, refusedAs } from '../../../../http/request/input.decorators.js';
import { SessionKindInput } from '../../auth/dto/auth.request.js';
import type { SessionKind } from '../../auth/auth.types.js';

export class WalletCheckRequest {
  @WalletAddressInput({ code: 'INVALID_WALLET_ADDRESS', description: 'of the wallet' })
  address!: string;
}

/** A challenge and its signature. */
export class WalletProofRequest {
  @ApiProperty({
    description:
      'EIP-4361, with the nonce of wallet/check; its domain is that of PUBLIC_URL or of one of CORS_ORIGINS',
  })
  @TextLength(1, 2000)
  message!: string;

  // The signature of a key has 65 bytes, or 64 in its compact form; a smart contract may accept others, also an empty one.
  @ApiProperty({
    description:
      'of a key (65 bytes, or 64 by EIP-2098), of a contract (ERC-1271), or of one that is not deployed yet (ERC-6492)',
  })
  @Matches(
    /^0x([0-9a-fA-F]{2}){0,4096}$/,
    refusedAs('SIGNATURE_INVALID', 'must be 0x and up to 4096 bytes in hex'),
  )
  signature!: string;
}

export class WalletSignInRequest extends WalletProofRequest {
  @SessionKindInput()
  session: SessionKind = 'bearer';
}
