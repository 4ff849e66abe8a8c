import { ConfigError, loadConfig } from './app-config.js';
import { smtpUrl } from './readers.js';

/** The faults of the two settings of e-mail; the required settings are missing. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.filter((fault) => /^(SMTP_URL|MAIL_FROM)/.test(fault));
  }
}

const SMTP_URL = `smtps://user:${encodeURIComponent('p@ss')}@mail.example.com`;
const MAIL_FROM = 'Platform <no-reply@example.com>';

describe('The settings of e-mail', () => {
  it('are optional, and are accepted only together', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ SMTP_URL, MAIL_FROM })).toEqual([]);
    expect(faultsOf({ SMTP_URL: 'smtp://localhost:25', MAIL_FROM: 'no-reply@example.com' })).toEqual([]);
    expect(faultsOf({ SMTP_URL })).toEqual([expect.stringMatching(/^MAIL_FROM is not set, and SMTP_URL is/)]);
    expect(faultsOf({ MAIL_FROM })).toEqual([
      expect.stringMatching(/^SMTP_URL is not set, and MAIL_FROM is/),
    ]);
  });

  it('reject the mail server of the sandbox in production', () => {
    const sandbox = { SMTP_URL: 'smtp://sandbox:sandbox@127.0.0.1:2525', MAIL_FROM };
    expect(faultsOf({ ...sandbox, NODE_ENV: 'production' })).toEqual([
      "SMTP_URL is the sandbox's value. Set your own.",
    ]);
    expect(faultsOf({ ...sandbox, NODE_ENV: 'development' })).toEqual([]);
  });

  it.each([
    'mail.example.com',
    'https://mail.example.com',
    'smtp:mail.example.com',
    'smtp://',
    'smtps://user%@mail.example.com',
    'smtps://mail.example.com/?tls.rejectUnauthorized=false',
  ])('reject the mail server %s and do not show it', (wrong) => {
    expect(faultsOf({ SMTP_URL: wrong, MAIL_FROM })).toEqual([
      `SMTP_URL: its value is not ${smtpUrl.expects}.`,
    ]);
  });

  it.each([
    'example.com',
    'a b@example.com',
    'Eve <a@example.com>, b@example.com',
    'Eve\r\nBcc: <a@example.com>',
  ])('reject the sender %j', (wrong) => {
    expect(faultsOf({ SMTP_URL, MAIL_FROM: wrong })).toEqual([
      expect.stringMatching(/^MAIL_FROM: ".+" is not an e-mail address/),
    ]);
  });
});
