import { demand, type Json, ProofError } from '../encoding.js';
import { jwksOf, type VerifierKey } from '../verifier-keys.js';
import { verifyReceipt } from '../verify.js';
import type { Findings } from './findings.js';
import { dayIn, type JsonObject, objectOf, requireMembers, textIn, wholeNumberIn } from './json-members.js';
import type { PackFolder } from './pack-folder.js';

const SIGNED_FILES = ['manifest.json', 'manifest.sig'];

/** The files that a manifest lists, in its order. */
const FILES = [
  'README.md',
  'verify.mjs',
  'keys.txt',
  'checkpoints.jsonl',
  'hashes.bin',
  'accounts.jsonl',
  'transactions.jsonl',
  'navs.jsonl',
  'liabilities.jsonl',
  'other-leaves.jsonl',
  'assets.jsonl',
  'audit.jsonl',
  'journal.hledger',
];

/** The findings name this many files that the manifest does not list; further ones are only counted. */
const MAX_OTHER_FILES = 50;

export interface Manifest {
  readonly origin: string;
  readonly from: string;
  readonly to: string;
  readonly size: number;
  readonly root: string;
}

/**
 * Verifies the manifest, its signature, and the size, the hash and the number of lines of each file. Returns undefined if
 * manifest.json is malformed; a wrong signature or file is a finding only.
 */
export async function verifyManifest(
  pack: PackFolder,
  keys: readonly VerifierKey[],
  findings: Findings,
): Promise<Manifest | undefined> {
  let manifest: Manifest | undefined;
  let files: readonly JsonObject[] = [];
  await findings.verify('manifest.json', () => {
    const content = objectOf(pack.readText('manifest.json'));
    requireMembers(content, ['createdAt', 'files', 'from', 'kind', 'log', 'origin', 'to', 'v']);
    demand(content.kind === 'audit-pack' && content.v === 1, 'It is not the manifest of an audit pack.');
    const [from, to] = [dayIn(content, 'from'), dayIn(content, 'to')];
    demand(from <= to, 'The first day is after the last.');
    const log = content.log as JsonObject;
    requireMembers(log, ['root', 'size']);
    const stated = {
      from,
      to,
      origin: textIn(content, 'origin'),
      size: wholeNumberIn(log, 'size'),
      root: textIn(log, 'root'),
    };
    demand(Array.isArray(content.files), 'It names no files.');
    const listed = content.files as readonly JsonObject[];
    for (const file of listed) requireMembers(file, ['bytes', 'lines', 'name', 'sha256']);
    const isComplete = JSON.stringify(listed.map(({ name }) => name as Json)) === JSON.stringify(FILES);
    demand(isComplete, 'It does not name the files of an audit pack.');
    manifest = stated;
    files = listed;
    return `the records of ${from} to ${to}`;
  });
  await findings.verify('manifest.sig', async () => {
    const signed = { payload: pack.readText('manifest.json'), signature: pack.readText('manifest.sig') };
    await verifyReceipt(signed, jwksOf(keys)).catch((error: unknown) => {
      if (!(error instanceof ProofError)) throw error;
      throw new ProofError(`${error.message} manifest.json, manifest.sig or keys.txt was changed.`);
    });
    return 'a key of keys.txt has signed the manifest';
  });
  for (const file of files) {
    const name = file.name as string;
    await findings.verify(name, async () => {
      const { bytes, lines, sha256 } = await pack.summary(name);
      demand(
        bytes === file.bytes && lines === file.lines && sha256 === file.sha256,
        'Its hash is not the one in the manifest: it was changed.',
      );
      return `its hash is the one in the manifest (${bytes} bytes, ${lines} lines)`;
    });
  }
  return manifest;
}

/** Lists files outside the manifest as not verified. Quotes names, so that no name can look like a line of the findings. */
export function listOtherFiles(pack: PackFolder, findings: Findings): void {
  const others = pack.names().filter((name) => !FILES.includes(name) && !SIGNED_FILES.includes(name));
  for (const name of others.slice(0, MAX_OTHER_FILES))
    findings.notVerified.push(`the file ${JSON.stringify(name)}, which the manifest does not list`);
  const more = others.length - MAX_OTHER_FILES;
  if (more > 0) findings.notVerified.push(`${more} more files, which the manifest does not list`);
}
