import { ApiProperty } from '@nestjs/swagger';
import { LineInput, TextLength } from '../../../../http/request/input.decorators.js';
import { EVM_NETWORKS } from '../domain/destination.js';

const LABEL = { description: 'to tell addresses apart', example: 'My hardware wallet' };

/** The service checks `network` and then `address`, because the addresses of other networks have other forms. */
export class AddAddressRequest {
  @LineInput(LABEL)
  label!: string;

  @ApiProperty({
    description:
      '0x and 40 hex digits; the zero address, token contracts, deposit addresses, and addresses of custody and of the deposit provider are rejected',
    example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  })
  @TextLength(0, 500)
  address!: string;

  @ApiProperty({ enum: EVM_NETWORKS, description: 'of the address', example: 'ERC20' })
  @TextLength(0, 500)
  network!: string;
}

export class RenameAddressRequest {
  @LineInput(LABEL)
  label!: string;
}
