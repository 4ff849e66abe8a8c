import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SAMPLE_PASSWORD, SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { ADMIN_PASSWORD } from '../fixtures/admin-sign-ins.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { testFolder } from '../harness/test-folder.js';
import { projectFiles, suspicionsIn, textOf, unpackedFiles } from '../verification/secrets/secret-finder.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Strings that look like secrets, with the reason why they are not. */
const KNOWN_FALSE_POSITIVES: Record<string, string> = {
  [SAMPLE_PASSWORD]: "password of the sandbox's sample admins",
  [ADMIN_PASSWORD]: 'password of the admins of a test',
  [SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET]: "the sandbox's, refused in production",
  [SANDBOX_SETTINGS.CUSTODY_WEBHOOK_SECRET]: "the sandbox's, refused in production",
  [SANDBOX_SETTINGS.LOG_SIGNING_KEY]: "the sandbox's, refused in production",
  sandbox: "password of the sandbox's database, refused in production",
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d':
    'private key of an account of every development chain, published with anvil',
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTk4YjJmMCJ9.signature': 'example of the documentation',
  eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9: 'the header of that example: {"alg":"HS256","typ":"JWT"}',
  b0VtY2hZd2t1dG9rZW5leGFtcGxlZm9ycmVmcmVzaGluZw: 'example of the documentation',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwZ3a1b2c3d4e=': 'example of the documentation',
  sk_ExampleOfAnApiKeyWhichOpensNothing012345678wZVEcQ: 'example of the documentation',
  TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t: 'address of a contract on TRON',
  TJRabPrwbZy45sbavfcjinPJC18kjpRTv8: 'example of an address on TRON',
  TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8: 'address of a contract on TRON',
  '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz': 'the alphabet of base58',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlY2FuYXJ5': 'canary in a test of redaction',
  whsec_canaryFuZGJveC1jdXN0b2R5: 'canary in a test of redaction',
  'Zk9vd1p1bUZxdk5ZVmZzUWNhbmFyeTEyMzQ1Njc4OTA-abc': 'canary in a test of redaction',
  canary: 'canary in a test of redaction',
  password: 'placeholder in a test of the configuration',
  hunter2: 'placeholder in a test of the configuration',
  'a-password-of-twelve': 'password of an admin in a test',
  'another-password-of-mine': 'password of an admin in a test',
  'the-password-of-a-thief': 'password of an admin in a test',
  '$argon2id$v=19$m=19456,t=2,p=1$Bz0Vnx3g3ePSeVRrBQRgfg$fFUj2D0EPRqJ/KP0TMJEd9wEv+pvBbP3CEFqCz9t/Ko':
    "hash of the password of the sandbox's sample admins",
  'fFUj2D0EPRqJ/KP0TMJEd9wEv+pvBbP3CEFqCz9t/Ko': 'the end of that hash',
  secret: 'placeholder in a test of URLs',
  'p%40ss%2Fw%C3%B6rd': 'placeholder in a test of URLs',
  '100%': 'placeholder in a test of URLs',
  'p%40ss': 'placeholder in a test of URLs',
  'p%40ss%2Fword': 'placeholder in a test of URLs',
  'hunter%402': 'placeholder in a test of the configuration',
  p: 'placeholder in a test of the configuration',
  'p,q': 'placeholder in a test of the configuration',
  '/api/blockchain/networks/ERC20/status': 'a path',
  whsec_bm90LXRoZS1zYW5kYm94LWV2ZW50LXNlY3JldC0x: 'secret of a webhook in a test',
  Kx2fYc7mRt5uWq9zBn3vLp6sHd8gJe1a: 'id of a client in a test',
  pw: 'placeholder in a test of URLs',
  b: 'placeholder in a test of URLs',
  'p#1': 'placeholder in a test of settings',
  'a-password-to-keep': 'password of a test admin',
  'wrong-password': 'a password that no account has',
  'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=': 'weak hash in a test of the lock file',
  'JRT/1B7nQuAmFNsxscesGLygvf+s/7lF1RJjh2jEQ6IC2UvQa1ftZJFkhzRq0MLZCTNj7MU5eNkQ5uHK9+lwfQ==':
    'signature of a published example',
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=': 'the hash of nothing, as an example of a hash',
  A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg: 'public key of the published test vectors',
  eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9: 'the header of an example: {"alg":"EdDSA","kid":"..."}',
  'nOjqj76nkLusZZRKAuAAS95vb6cA2g5TDVuA0pyR2iU8=':
    'the root in an example of a checkpoint, with the n of the \\n before it',
  '1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y': 'id of the published test key',
  'whsec_ZXhhbXBsZS1jdXN0b2R5LXByb3ZpZGVyLXNlY3JldA==': 'secret of a published example of a signature',
  'ZXhhbXBsZS1kZXBvc2l0LXByb3ZpZGVyLXNlY3JldA==': 'secret of a published example of a signature',
  'EpDcXFQjyEMwr9AtkNaXBzELX/9MSrhamkgTVsttrSpVqPnEev8q084f0nd/gCnH5iWT5Fw3pLovXeiScX3YiQ==':
    'signature of a published example',
  '27UTkGoFVjh6fLNzw55tFDjgfbYjnwO92ABDteYc2tY=': 'signature of a published example',
  TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf: 'example of an address on TRON',
};

/** Contains hashes, nonces, published test keys and signatures by them. */
const PROOF_VECTORS = 'test/fixtures/proof-vectors.json';

/** Removes the hashes of the lock file, and a package name with `password`, from the text to search. */
const withoutHashes = (text: string) => text.replace(/"(integrity|@inquirer\/password)": "[^"]+"/g, '');

function suspicionsInFiles(root: string, files: string[]) {
  return files
    .flatMap((file) =>
      suspicionsIn(withoutHashes(textOf(root, file))).map((suspicion) => ({ ...suspicion, file })),
    )
    .filter(({ file, kind }) => file !== PROOF_VECTORS || kind !== 'random text');
}

describe('The repository', () => {
  const files = projectFiles(ROOT);
  const suspicions = suspicionsInFiles(ROOT, files);

  it('contains no secret [SEC-012]', () => {
    expect(files).toEqual(expect.arrayContaining(['package.json', '.env.example', '.ci/run', 'src/main.ts']));
    const unknown = suspicions.filter(({ text }) => !(text in KNOWN_FALSE_POSITIVES));
    expect(unknown.map(({ file, line, kind }) => `${file}:${line} ${kind}`)).toEqual([]);
    recordGuarantee('G-22', `${files.length} files, ${Object.keys(SAMPLE_SECRETS).length} kinds of secrets`);
  });

  it('contains every string of KNOWN_FALSE_POSITIVES outside of this file', () => {
    const elsewhere = suspicions.filter(({ file }) => file !== 'test/matrix/no-secrets.spec.ts');
    const seen = new Set(elsewhere.map(({ text }) => text));
    expect(Object.keys(KNOWN_FALSE_POSITIVES).filter((text) => !seen.has(text))).toEqual([]);
  });

  it('is also searched completely if it is not a git checkout', () => {
    const unpacked = new Set(unpackedFiles(ROOT));
    expect(files.filter((file) => !unpacked.has(file))).toEqual([]);
    expect([...unpacked].filter((file) => file.startsWith('node_modules'))).toEqual([]);
  });
});

// Built from parts, so that the search does not find them in this file.
const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ4sT6vW8yZ0'.repeat(3).slice(0, count);
const SAMPLE_SECRETS: Record<string, string> = {
  'private key': `-----BEGIN ${'RSA '}PRIVATE KEY-----`,
  'private key of a blockchain account': `const signerKey = '0x${'8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbc'.padEnd(64, '7')}';`,
  'mnemonic of a wallet': `"${'legal winner '.repeat(5)}thank yellow"`,
  JWT: ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJhbm4iLCJleHAiOjF9', letters(43)].join('.'),
  'AWS key': `AKIA${'Z7'.repeat(8)}`,
  'GitHub token': `ghp_${letters(36)}`,
  'GitLab token': `glpat-${letters(20)}`,
  'Slack token': `xoxb-${'1234567890-'.repeat(2)}${letters(24)}`,
  'npm token': `npm_${letters(36)}`,
  'Google key': `AIza${letters(35)}`,
  'Stripe key': `sk_live_${letters(24)}`,
  'SendGrid key': `SG.${letters(22)}.${letters(43)}`,
  'webhook secret': `whsec_${letters(32)}=`,
  'API key of this service': `sk_${letters(49)}`,
  'password hash': `${'$argon2id'}$v=19$m=19456,t=2,p=1$${letters(22)}$${letters(43)}`,
  'password in a URL': `postgres://platform:${'correct-horse'}@db.example.com/platform`,
  password: `"adminPassword": "${'correct-horse'}"`,
  'random text': `cache_salt: ${letters(43)}`,
};

describe('The search for secrets', () => {
  it.each(Object.entries(SAMPLE_SECRETS))('finds this kind of secret: %s', (kind, secret) => {
    const text = `first line\n  ${secret}\nlast line\n`;
    expect(suspicionsIn(text)).toContainEqual(expect.objectContaining({ kind, line: 2 }));
  });

  it('searches a folder without git, except for node_modules and .env', () => {
    const folder = testFolder('secrets');
    for (const part of ['src/deep', 'node_modules/other']) mkdirSync(join(folder, part), { recursive: true });
    const token = SAMPLE_SECRETS['GitHub token'] as string;
    for (const file of ['src/deep/notes.md', 'node_modules/other/index.js', '.env'])
      writeFileSync(join(folder, file), token);
    const suspicions = suspicionsInFiles(folder, projectFiles(folder));
    expect(suspicions.map(({ file, kind }) => [file, kind])).toEqual([
      [join('src', 'deep', 'notes.md'), 'GitHub token'],
      [join('src', 'deep', 'notes.md'), 'random text'],
    ]);
  });

  it.each([
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    "txHash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'",
    'readonly passwordHash: string | null;',
    `DATABASE_URL: postgres://platform:${'$'}{POSTGRES_PASSWORD}@database:5432/platform`,
    'anExceedinglyLongNameOfAFunctionThatNobodyWouldWrite2()',
    'https://www.example.com/a/path/That/Is/Long/Enough/To/Be/A/Token',
  ])('reports nothing in %s', (text) => {
    expect(suspicionsIn(text)).toEqual([]);
  });
});
