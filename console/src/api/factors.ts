import { api } from './client.ts';
import { withStepUp } from './step-up.ts';

/** Begins to add one-time codes. If the admin has a second factor already, this request and the next one need a step-up. */
export const startTotp = () =>
  withStepUp(
    { action: 'factor.add', details: { kind: 'totp' } },
    async (token) => (await api.call('POST /api/admin/totp', { ...token })).data,
  );

/** Adds the one-time codes by the first code of the app. Resolves with recovery codes, shown once, if this is the first factor. */
export const confirmTotp = (code: string) =>
  withStepUp(
    { action: 'factor.add', details: { kind: 'totp' } },
    async (token) =>
      (await api.call('POST /api/admin/totp/confirm', { body: { code }, ...token })).data.recoveryCodes,
  );

/** Adds a passkey of this device. Resolves with recovery codes, shown once, if this is the first factor. */
export async function addPasskey(name: string): Promise<string[] | null> {
  const { options } = (await api.call('POST /api/admin/passkeys/options')).data;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const created = await navigator.credentials.create({ publicKey });
  if (!(created instanceof PublicKeyCredential)) throw new Error('The browser has made no passkey.');
  const credential = created.toJSON() as unknown as Record<string, unknown>;
  return withStepUp(
    { action: 'factor.add', details: { kind: 'passkey' } },
    async (token) =>
      (await api.call('POST /api/admin/passkeys', { body: { name, credential }, ...token })).data
        .recoveryCodes,
  );
}
