import type { Express, Request, Response } from 'express';
import { httpAddress } from '../../common/http-address.js';
import { readBody } from '../request/body-reader.js';

export const SANDBOX_SCRIPT = '/api/docs/sandbox.js';
const TOKEN_PATH = '/api/docs/identity-token';
/** Calls of the sandbox's control port that pages make through this service, because their policies forbid other origins. */
const CONTROL_CALLS: Readonly<Record<string, { path: string; fields: readonly string[] }>> = {
  [TOKEN_PATH]: { path: '/idp/token', fields: ['email'] },
  '/api/docs/sandbox/deposits': { path: '/deposits', fields: ['address', 'amount'] },
  '/api/docs/sandbox/transfers': { path: '/chain/transfer', fields: ['to', 'amount'] },
  '/api/docs/sandbox/clock': { path: '/clock/advance', fields: ['days'] },
};
const TIMEOUT_MS = 5_000;

/**
 * Adds a sign-in form to the documentation page of the sandbox. The form requests a token of the sandbox's identity provider,
 * exchanges it, and passes both tokens to "Authorize". The users' page signs in the same way, pays test deposits and moves the clock;
 * the console pays withdrawals.
 */
export function serveSandboxSignIn(express: Express, sandboxUrl: string): void {
  express.get(SANDBOX_SCRIPT, (_request, response) => {
    response.type('text/javascript').send(SCRIPT);
  });
  for (const [path, control] of Object.entries(CONTROL_CALLS)) {
    express.post(path, (request, response, next) => {
      forwardToSandbox(`${sandboxUrl}${control.path}`, control.fields, request, response).catch(next);
    });
  }
}

async function forwardToSandbox(
  address: string,
  fields: readonly string[],
  request: Request,
  response: Response,
): Promise<void> {
  const body = (await readBody(request)) as Record<string, unknown> | undefined;
  const input = Object.fromEntries(fields.map((name) => [name, request.query[name] ?? body?.[name]]));
  const { url, headers } = httpAddress(address);
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  response.status(reply.status).json(await reply.json());
}

/** Runs in the browser after the page's own scripts. */
const SCRIPT = `
addEventListener('load', () => {
  const form = document.createElement('form');
  form.id = 'sandbox-sign-in';
  form.style.cssText = 'padding: 12px 20px; font: 14px sans-serif; background: #f0f0f0';
  form.innerHTML =
    '<label>Sandbox: sign in as <input name="email" type="email" required size="30" value="alice@example.org"></label> ' +
    '<button>Sign in</button> <span>admin@example.com, operator@example.com … are admins.</span> <output></output>';
  document.body.prepend(form);

  const authorize = (name, value) =>
    window.ui.authActions.authorizeWithPersistOption({
      [name]: { name, schema: { type: 'http', scheme: 'bearer' }, value },
    });

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const output = form.querySelector('output');
    try {
      const reply = await fetch('${TOKEN_PATH}?email=' + encodeURIComponent(form.email.value), { method: 'POST' });
      const { token, error } = await reply.json();
      if (!token) throw new Error(error);
      const login = await fetch('/api/auth/idp/login', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + token },
      });
      const { data, error: refusal } = await login.json();
      if (!data) throw new Error(refusal.code + ': ' + refusal.message);
      authorize('identity-provider', token);
      authorize(data.isAdmin ? 'admin' : 'user', data.token);
      output.textContent = 'Signed in as ' + (data.isAdmin ? 'an admin' : 'a user') + '. "Try it out" sends the token.';
    } catch (error) {
      output.textContent = error.message;
    }
  });
});
`;
