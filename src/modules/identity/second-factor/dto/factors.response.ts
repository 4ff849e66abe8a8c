import {
  BooleanField,
  EnumListField,
  InstantField,
  IntegerField,
  ListField,
  MapField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { FACTOR_METHODS, type FactorMethod } from '../factors.types.js';

export class PasskeyResponse {
  @UuidField() id!: string;
  @StringField({ example: 'Laptop' }) name!: string;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) lastUsedAt!: string | null;
  @BooleanField({ description: 'the devices of the user share it, so that it survives the loss of one' })
  backedUp!: boolean;
  @StringListField({ example: ['internal'], description: 'how browsers reach the authenticator' })
  transports!: readonly string[];
}

const RECOVERY_CODES = {
  example: ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX'],
  description:
    'ten codes, each for one use; shown only this once. null: the account had a factor, so its codes stay.',
};

export class AddedPasskeyResponse extends PasskeyResponse {
  @StringListField({ ...RECOVERY_CODES, nullable: true }) recoveryCodes!: readonly string[] | null;
}

export class FactorsResponse {
  @ListField(() => PasskeyResponse) passkeys!: PasskeyResponse[];
  @InstantField({ nullable: true, description: 'when the one-time codes were confirmed; null without them' })
  totpSince!: string | null;
  @IntegerField({ example: 10, description: 'recovery codes that were not used; 0 without a second factor' })
  recoveryCodesLeft!: number;
}

export class CeremonyResponse {
  @MapField({}, { description: 'for `PublicKeyCredential.parseCreationOptionsFromJSON()`' }) options!: object;
}

export class TotpSecretResponse {
  @StringField({
    example: 'JBSWY3DPEHPK3PXP',
    description: 'base 32, for an app that cannot read the picture',
  })
  secret!: string;
  @StringField({ example: 'otpauth://totp/Platform:ann@example.org?secret=JBSWY3DPEHPK3PXP' })
  otpauthUrl!: string;
  @StringField({ example: 'data:image/png;base64,iVBORw0KGgo=', description: '`otpauthUrl` as a picture' })
  qrCode!: string;
}

export class ConfirmedTotpResponse {
  @StringListField({ ...RECOVERY_CODES, nullable: true }) recoveryCodes!: readonly string[] | null;
}

export class RecoveryCodesResponse {
  @StringListField({ ...RECOVERY_CODES, description: 'ten codes, each for one use; shown only this once' })
  recoveryCodes!: readonly string[];
}

export class ResetAdminFactorsResponse {
  @StringField({ example: 'admin@example.com' }) email!: string;
}

export class StepUpResponse {
  @UuidField() id!: string;
  @EnumListField(FACTOR_METHODS, {
    description: 'the methods that can answer; empty without a second factor',
  })
  methods!: readonly FactorMethod[];
  @MapField(
    {},
    {
      nullable: true,
      description: 'for `PublicKeyCredential.parseRequestOptionsFromJSON()`; null without a passkey',
    },
  )
  options!: object | null;
  @InstantField({ description: 'until then the step-up can be answered' }) expiresAt!: string;
}

export class StepUpTokenResponse {
  @StringField({
    example: 'Zk3cXG5m0V1cQd0JrY1v7Q',
    description: 'for the header X-Step-Up of the action; it counts once',
  })
  token!: string;
  @InstantField() expiresAt!: string;
}
