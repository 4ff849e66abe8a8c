import { ApiProperty } from '@nestjs/swagger';
import { TextLength } from '../../../../http/request/input.decorators.js';

export class LockByLinkRequest {
  @ApiProperty({
    description: 'the fragment of the link in a mail about security',
    example: 'Zk3cXG5m0V1cQd0JrY1v7QZk3cXG5m0V1cQd0JrY1v7',
  })
  @TextLength(1, 200)
  token!: string;
}
