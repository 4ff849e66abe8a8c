import { ApiProperty } from '@nestjs/swagger';
import { LineInput, TextLength } from '../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';

const LABEL = { example: 'My hardware wallet' };

/** `address` and `network` are checked by the service, with INVALID_WALLET_ADDRESS and NETWORK_NOT_SUPPORTED. */
export class AddAddressRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @LineInput(LABEL)
  label!: string;

  @ApiProperty({
    description:
      '0x and 40 hex digits; the zero address, token contracts, deposit addresses, and addresses of custody and of the deposit provider are rejected',
    example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  })
  @TextLength(0, 500)
  address!: string;

  @ApiProperty({ description: 'ERC20 or BEP20', example: 'ERC20' })
  @TextLength(0, 500)
  network!: string;
}

export class RenameAddressRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @LineInput(LABEL)
  label!: string;
}
