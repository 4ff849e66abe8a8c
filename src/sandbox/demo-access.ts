import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { bearer, callApi, identityToken, Person } from './demo-client.js';
import { requireEqual, requireThat, tell } from './demo-output.js';

// Sign-in with a cookie and with a wallet.

const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
  (body.error as { code: string } | undefined)?.code ?? String(status);

/** A browser session in a cookie: requests of the page succeed, requests of a foreign page are rejected. */
export async function usesABrowser(email: string): Promise<void> {
  const jwt = await identityToken(email, 'Demo User');
  const reply = await callApi('POST', '/api/auth/idp/login', { session: 'cookie' }, bearer(jwt));
  const { csrfToken } = reply.body.data as { csrfToken: string };
  const [cookie = ''] = reply.cookies;
  requireThat(/; HttpOnly/.test(cookie) && /; SameSite=Strict/.test(cookie), `the cookie is open: ${cookie}`);
  const sent = { cookie: cookie.split(';')[0] as string };
  const page = { ...sent, 'x-csrf-token': csrfToken };

  const foreign = await callApi('GET', '/api/user/balance', undefined, sent);
  requireEqual(codeOf(foreign), 'CSRF_INVALID', 'the answer to a foreign page');
  requireEqual(
    codeOf(await callApi('GET', '/api/user/balance', undefined, page)),
    '200',
    'the answer to the page',
  );
  requireEqual(
    codeOf(await callApi('POST', '/api/auth/cookie/logout', undefined, page)),
    '200',
    'logging out',
  );
  const after = await callApi('GET', '/api/auth/cookie/verify', undefined, sent);
  requireEqual(codeOf(after), 'TOKEN_INVALID', 'the answer after logging out');
  tell('signs in with a browser: the page gets in by its cookie, a foreign page is refused (CSRF_INVALID)');
}

/** A wallet is linked to the account, and its key signs in without a password. */
export async function signsInByWallet(user: Person): Promise<void> {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const proof = async () => {
    const { body } = await callApi('POST', '/api/auth/wallet/check', { address: wallet.address });
    const { message } = body.data as { message: string };
    return { message, signature: await wallet.signMessage({ message }) };
  };
  await user.ask('POST', '/api/auth/wallet/connect', await proof());
  const signed = await proof();
  const again = Person.of(await callApi('POST', '/api/auth/wallet/login', signed));
  const [mine, theirs] = await Promise.all(
    [user, again].map((person) => person.ask<{ id: string }>('GET', '/api/auth/user/profile')),
  );
  requireEqual(theirs?.id ?? '', mine?.id ?? '', 'whom the wallet signs in');
  const replay = await callApi('POST', '/api/auth/wallet/login', signed);
  requireEqual(codeOf(replay), 'NONCE_EXPIRED', 'the answer to the same signature once more');
  const { wallets } = await again.ask<{ wallets: { usdc: string }[] }>('GET', '/api/balance/wallet');
  tell(`links the wallet ${wallet.address}, signs in with it and sees ${wallets[0]?.usdc} USDC there`);
}
