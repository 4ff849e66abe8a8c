import { smtpOptions } from './smtp.client.js';

describe('The connection to the mail server', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: true }],
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, secure: true }],
    ['smtp://10.0.0.7:2525', { host: '10.0.0.7', port: 2525, requireTLS: true, ignoreTLS: false }],
    ['smtp://[2001:db8::1]', { host: '2001:db8::1', requireTLS: true, ignoreTLS: false }],
    ['smtp://localhost.example.com', { requireTLS: true, ignoreTLS: false }],
    ['smtp://127.0.0.1.example.com', { requireTLS: true, ignoreTLS: false }],
    ['smtp://localhost:25', { host: 'localhost', port: 25, requireTLS: false, ignoreTLS: true }],
    ['smtp://127.0.0.1:25', { requireTLS: false, ignoreTLS: true }],
    ['smtp://[::1]:25', { host: '::1', requireTLS: false, ignoreTLS: true }],
  ])('to %s requires TLS unless the server is on this machine', (url, expected) => {
    expect(smtpOptions(url)).toMatchObject({ ...expected, tls: { rejectUnauthorized: true } });
  });

  it('has the credentials of the URL, decoded', () => {
    expect(smtpOptions(`smtps://no%2Dreply:${encodeURIComponent('p@ss')}@mail.example.com`).auth).toEqual({
      user: 'no-reply',
      pass: 'p@ss',
    });
    expect(smtpOptions('smtps://mail.example.com').auth).toBeUndefined();
  });

  it('has a time-out for each wait', () => {
    const { connectionTimeout, greetingTimeout, dnsTimeout, socketTimeout } = smtpOptions('smtp://localhost');
    for (const timeout of [connectionTimeout, greetingTimeout, dnsTimeout]) expect(timeout).toBe(10_000);
    expect(socketTimeout).toBe(30_000);
  });
});
