import {
  EnumField,
  InstantField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';

export class AcceptedReviewResponse {
  @UuidField({ description: 'of the withdrawal or the user' }) id!: string;
  @EnumField(['review']) screening!: string;
  @StringListField({
    description: "the provider's references of the verdicts that were accepted",
    example: ['scr-1'],
  })
  references!: string[];
  @StringField() reason!: string;
  @InstantField() acceptedAt!: string;
  @StringField({ example: 'admin@example.com' }) acceptedBy!: string;
}
