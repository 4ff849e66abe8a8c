import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { TextLength } from '../../../../http/request/input.decorators.js';

export class SearchQuery {
  @ApiProperty({
    example: 'ann@example.org',
    description:
      'an id, a transaction hash (with or without 0x), an address or an e-mail address; its first eight or more characters find all that begin with them',
  })
  @TextLength(3, 320)
  q!: string;

  @ApiProperty({ description: 'largest number of results' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(50)
  limit = 10;
}
