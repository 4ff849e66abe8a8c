import { TextInput } from '../../http/validation/inputs.js';

export class AcceptReviewDto {
  @TextInput({
    optional: true,
    minLength: 0,
    description: 'required: why the review may pass; it is written to the audit log',
    example: 'Another person of the same name',
  })
  reason?: string;
}
