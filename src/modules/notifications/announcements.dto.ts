import { ChoiceInput, TextInput } from '../../http/validation/inputs.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { ANNOUNCEMENT_TYPES, AUDIENCES, type AnnouncementType, type Audience } from './announcement.types.js';

export class AnnounceDto {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @ChoiceInput(ANNOUNCEMENT_TYPES, {
    description: 'promotion: only to users whose preference notifications.push is on',
    example: 'system',
  })
  type!: AnnouncementType;

  @TextInput({ maxLength: 120, notBlank: true, example: 'Maintenance on Sunday' })
  title!: string;

  @TextInput({
    maxLength: 2000,
    notBlank: true,
    example: 'Withdrawals are carried out on Monday morning.',
  })
  message!: string;

  @ChoiceInput(AUDIENCES, { description: 'investors: users with an investment that is not closed' })
  audience!: Audience;
}
