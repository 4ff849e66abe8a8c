import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  ValidateBy,
} from 'class-validator';
import { API_KEY_SCOPES, type ApiKeyScope } from '../../../../http/auth/api-key-scopes.js';
import { DateInput, LineInput } from '../../../../http/request/input.decorators.js';
import { isAllowedNetwork } from '../domain/api-key.js';

const MAX_NETWORKS_PER_KEY = 20;

const SCOPES_MESSAGE = `must be a list of different scopes: ${API_KEY_SCOPES.join(', ')}`;
const NETWORKS_MESSAGE = `must be a list of 1 to ${MAX_NETWORKS_PER_KEY} networks such as 203.0.113.0/24 or 2001:db8::/32`;

export class CreateApiKeyRequest {
  @LineInput({ description: 'to tell keys apart', example: 'Bookkeeping' })
  name!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...API_KEY_SCOPES] },
    description: 'what the key may do; x-scope of an operation names the scope that it needs',
    example: ['balance:read', 'transactions:read'],
  })
  @IsArray({ message: SCOPES_MESSAGE })
  @ArrayMinSize(1, { message: SCOPES_MESSAGE })
  @ArrayUnique({ message: SCOPES_MESSAGE })
  @IsIn(API_KEY_SCOPES, { each: true, message: SCOPES_MESSAGE })
  scopes!: ApiKeyScope[];

  @DateInput({
    optional: true,
    description: 'in the future; absent: the key does not expire',
    example: '2030-01-31T12:00:00Z',
  })
  expiresAt?: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'CIDR; the key works from these addresses only. Absent: from every address.',
    example: ['203.0.113.0/24', '2001:db8::/32'],
  })
  @IsOptional()
  @IsArray({ message: NETWORKS_MESSAGE })
  @ArrayMinSize(1, { message: NETWORKS_MESSAGE })
  @ArrayMaxSize(MAX_NETWORKS_PER_KEY, { message: NETWORKS_MESSAGE })
  @ValidateBy(
    { name: 'isNetwork', validator: { validate: isAllowedNetwork } },
    { each: true, message: NETWORKS_MESSAGE },
  )
  networks?: string[] | null;
}
