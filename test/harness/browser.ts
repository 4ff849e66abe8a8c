import type { Reply } from './http-client.js';
import type { TestPlatform } from './platform.js';

/** A browser that stores cookies and sends them with every request. */
export class Browser {
  csrfToken: string | undefined;
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly platform: TestPlatform,
    private readonly url = platform.baseUrl,
  ) {}

  /** `Set-Cookie` headers of the last response. */
  setCookies: string[] = [];

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await this.platform
      .as(null, this.url)
      .call(method, path, body, { headers: { ...(cookie ? { cookie } : {}), ...headers } });
    this.setCookies = reply.headers.getSetCookie();
    for (const header of this.setCookies) this.storeCookie(header);
    return reply;
  }

  /** Sends a request with the CSRF token in a header, as the page's own scripts do. */
  async callAsPage(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.call(method, path, body, { 'x-csrf-token': this.csrfToken ?? '' });
  }

  async signIn(email: string): Promise<Reply> {
    const jwt = await this.platform.outside.providers.identity.token({ email });
    const headers = { authorization: `Bearer ${jwt}` };
    const reply = await this.call('POST', '/api/auth/idp/login', { session: 'cookie' }, headers);
    this.csrfToken = reply.data?.csrfToken;
    return reply;
  }

  async signInAsAdmin(email: string, password: string): Promise<Reply> {
    const reply = await this.call('POST', '/api/auth/cookie/admin/login', { email, password });
    this.csrfToken = reply.data?.csrfToken;
    return reply;
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  private storeCookie(header: string): void {
    const [pair = '', ...attributes] = header.split('; ');
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    const isDeleted = attributes.some((attribute) => /^Expires=Thu, 01 Jan 1970/.test(attribute));
    if (isDeleted) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
