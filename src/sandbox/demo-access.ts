import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { bearer, callApi, identityToken, Person, requireCode } from './demo-client.js';
import { requireEqual, requireThat, printStep } from './demo-output.js';

/** Signs in with a session cookie: requests with the CSRF token succeed, and requests without it are rejected. */
export async function demonstrateCookieSession(email: string): Promise<void> {
  const jwt = await identityToken(email, 'Demo User');
  const reply = await callApi('POST', '/api/auth/idp/login', { session: 'cookie' }, bearer(jwt));
  const { csrfToken } = reply.body.data as { csrfToken: string };
  const [cookie = ''] = reply.cookies;
  requireThat(
    /; HttpOnly/.test(cookie) && /; SameSite=Strict/.test(cookie),
    `the cookie lacks HttpOnly or SameSite=Strict: ${cookie}`,
  );
  const cookieHeader = { cookie: cookie.split(';')[0] as string };
  const requireAnswer = async (code: string, method: string, path: string, headers = {}) =>
    requireCode(
      await callApi(method, path, undefined, { ...cookieHeader, ...headers }),
      code,
      `${method} ${path}`,
    );

  await requireAnswer('CSRF_INVALID', 'GET', '/api/user/balance');
  await requireAnswer('OK', 'GET', '/api/user/balance', { 'x-csrf-token': csrfToken });
  await requireAnswer('OK', 'POST', '/api/auth/cookie/logout', { 'x-csrf-token': csrfToken });
  await requireAnswer('TOKEN_INVALID', 'GET', '/api/auth/cookie/verify');
  printStep(
    'signs in with a session cookie: requests need the CSRF token, without which they are rejected (CSRF_INVALID)',
  );
}

/** Links a wallet to the account and signs in with a signature of the wallet. */
export async function demonstrateWalletSignIn(user: Person): Promise<void> {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const signChallenge = async () => {
    const { body } = await callApi('POST', '/api/auth/wallet/check', { address: wallet.address });
    const { message } = body.data as { message: string };
    return { message, signature: await wallet.signMessage({ message }) };
  };
  await user.ask('POST', '/api/auth/wallet/connect', await signChallenge());
  const signed = await signChallenge();
  const walletUser = Person.fromSignIn(await callApi('POST', '/api/auth/wallet/login', signed));
  const idOf = async (person: Person) =>
    (await person.ask<{ id: string }>('GET', '/api/auth/user/profile')).id;
  requireEqual(await idOf(walletUser), await idOf(user), 'the user of the wallet');
  const replay = await callApi('POST', '/api/auth/wallet/login', signed);
  requireCode(replay, 'NONCE_EXPIRED', 'a sign-in with the same signature');
  const { wallets } = await walletUser.ask<{ wallets: { usdc: string }[] }>('GET', '/api/balance/wallet');
  printStep(`links the wallet ${wallet.address}, signs in with it and sees ${wallets[0]?.usdc} USDC there`);
}
