import { connectionAdvice } from './connection-advice.js';

const failure = (code: string | undefined, message: string) => Object.assign(new Error(message), { code });

describe('The advice about a connection to the database that fails', () => {
  it.each([
    [
      '28P01',
      'password authentication failed for user "app"',
      /Correct the user and the password in DATABASE_URL/,
    ],
    ['28000', 'no pg_hba.conf entry for host "10.0.0.9", no encryption', /pg_hba\.conf.*sslmode=verify-full/],
    ['3D000', 'database "platfrom" does not exist', /Correct the name of the database/],
    ['42501', 'permission denied for database "platform"', /CONNECT/],
    ['53300', 'sorry, too many clients already', /max_connections/],
    ['57P03', 'the database system is starting up', /read its log/],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND db', /Correct the host in DATABASE_URL/],
    ['ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432', /Start PostgreSQL/],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:5432', /firewalls/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /sslrootcert/],
    ['CERT_HAS_EXPIRED', 'certificate has expired', /Renew the certificate/],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      "Hostname/IP does not match certificate's altnames",
      /certificate.*names/,
    ],
    ['ENOENT', "ENOENT: no such file or directory, open '/ca.pem'", /path of sslrootcert/],
    [undefined, 'The server does not support SSL connections', /ssl=on/],
    [undefined, 'timeout expired', /DATABASE_POOL_WAIT_MS/],
    [undefined, 'no host of the database accepts writes', /Promote a standby/],
    ['XX000', 'something else', /Correct DATABASE_URL, or read the log/],
  ])('names the reason and what to change for %s "%s"', (code, message, advice) => {
    const text = connectionAdvice(failure(code, message));
    expect(text.startsWith(`${message}. `)).toBe(true);
    expect(text.slice(message.length)).toMatch(advice);
  });

  it('names the code if the error has no message', () => {
    expect(connectionAdvice(failure('ECONNREFUSED', ''))).toMatch(/^ECONNREFUSED\. Start PostgreSQL/);
  });
});
