import { toDataURL } from 'qrcode';
import { TotpSecretResponse } from './dto/factors.response.js';
import type { NewTotpSecret } from './factors.service.js';
import { toResponse } from '../../../http/response/to-response.js';

export async function toTotpSecretResponse(secret: NewTotpSecret): Promise<TotpSecretResponse> {
  return toResponse(TotpSecretResponse, secret, { qrCode: await toDataURL(secret.otpauthUrl) });
}
