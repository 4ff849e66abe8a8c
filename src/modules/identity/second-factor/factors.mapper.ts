import { toDataURL } from 'qrcode';
import type {
  FactorsResponse,
  PasskeyResponse,
  StepUpResponse,
  TotpSecretResponse,
} from './dto/factors.response.js';
import type { Passkey } from './entities/passkey.entity.js';
import type { Factors, NewTotpSecret } from './factors.service.js';
import type { Challenge } from './factors.types.js';

export function toPasskeyResponse({
  id,
  name,
  createdAt,
  lastUsedAt,
  backedUp,
  transports,
}: Passkey): PasskeyResponse {
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    backedUp,
    transports,
  };
}

export function toFactorsResponse({ passkeys, totpSince, recoveryCodesLeft }: Factors): FactorsResponse {
  return {
    passkeys: passkeys.map(toPasskeyResponse),
    totpSince: totpSince?.toISOString() ?? null,
    recoveryCodesLeft,
  };
}

export async function toTotpSecretResponse({
  secret,
  otpauthUrl,
}: NewTotpSecret): Promise<TotpSecretResponse> {
  return { secret, otpauthUrl, qrCode: await toDataURL(otpauthUrl) };
}

export function toStepUpResponse({ id, methods, options, expiresAt }: Challenge): StepUpResponse {
  return { id, methods, options, expiresAt: expiresAt.toISOString() };
}
