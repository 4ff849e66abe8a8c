import {
  Count,
  Flag,
  Instant,
  ListOf,
  MapOf,
  Text,
  TextList,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { ChoiceList } from '../../../../http/openapi/fields.js';
import { FACTOR_METHODS, type FactorMethod } from '../factors.types.js';

export class PasskeyResponse {
  @Uuid() id!: string;
  @Text({ example: 'Laptop' }) name!: string;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastUsedAt!: string | null;
  @Flag({ description: 'the devices of the user share it, so that it survives the loss of one' })
  backedUp!: boolean;
  @TextList({ example: ['internal'], description: 'how browsers reach the authenticator' })
  transports!: readonly string[];
}

const RECOVERY_CODES = {
  example: ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX'],
  description:
    'ten codes, each for one use; shown only this once. null: the account had a factor, so its codes stay.',
};

export class AddedPasskeyResponse extends PasskeyResponse {
  @TextList({ ...RECOVERY_CODES, nullable: true }) recoveryCodes!: readonly string[] | null;
}

export class FactorsResponse {
  @ListOf(() => PasskeyResponse) passkeys!: PasskeyResponse[];
  @Instant({ nullable: true, description: 'when the one-time codes were confirmed; null without them' })
  totpSince!: string | null;
  @Count({ example: 10, description: 'recovery codes that were not used; 0 without a second factor' })
  recoveryCodesLeft!: number;
}

export class CeremonyResponse {
  @MapOf({}, { description: 'for `PublicKeyCredential.parseCreationOptionsFromJSON()`' })
  options!: object;
}

export class TotpSecretResponse {
  @Text({ example: 'JBSWY3DPEHPK3PXP', description: 'base 32, for an app that cannot read the picture' })
  secret!: string;
  @Text({ example: 'otpauth://totp/Platform:ann@example.org?secret=JBSWY3DPEHPK3PXP' }) otpauthUrl!: string;
  @Text({ example: 'data:image/png;base64,iVBORw0KGgo=', description: '`otpauthUrl` as a picture' })
  qrCode!: string;
}

export class ConfirmedTotpResponse {
  @TextList({ ...RECOVERY_CODES, nullable: true }) recoveryCodes!: readonly string[] | null;
}

export class RecoveryCodesResponse {
  @TextList({ ...RECOVERY_CODES, description: 'ten codes, each for one use; shown only this once' })
  recoveryCodes!: readonly string[];
}

export class ResetAdminFactorsResponse {
  @Text({ example: 'admin@example.com' }) email!: string;
}

export class StepUpResponse {
  @Uuid() id!: string;
  @ChoiceList(FACTOR_METHODS, { description: 'the methods that can answer; empty without a second factor' })
  methods!: readonly FactorMethod[];
  @MapOf(
    {},
    {
      nullable: true,
      description: 'for `PublicKeyCredential.parseRequestOptionsFromJSON()`; null without a passkey',
    },
  )
  options!: object | null;
  @Instant({ description: 'until then the step-up can be answered' }) expiresAt!: string;
}

export class StepUpTokenResponse {
  @Text({
    example: 'Zk3cXG5m0V1cQd0JrY1v7Q',
    description: 'for the header X-Step-Up of the action; it counts once',
  })
  token!: string;
  @Instant() expiresAt!: string;
}
