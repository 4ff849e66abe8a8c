import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** Certificate and private key in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** A self-signed certificate of an IP address, valid from yesterday until tomorrow. */
export async function selfSignedCertificate(address: string): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${address}`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: address }])],
  });
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
