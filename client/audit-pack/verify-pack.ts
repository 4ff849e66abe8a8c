import { demand } from '../encoding.js';
import { Accounts } from './accounts.js';
import { ClosedDays, verifyAssets } from './closed-days.js';
import { Findings } from './findings.js';
import { JournalReader } from './journal.js';
import { HashFile, verifyLog } from './log-hashes.js';
import { type Manifest, verifyManifest } from './manifest.js';
import { PackFolder } from './pack-folder.js';
import { verifyAudit, verifyNavs } from './records.js';
import { TransactionVerifier } from './transactions.js';

/** Verifies the audit pack in a folder. It never throws for what a pack can contain. */
export async function verifyPack(folder: string): Promise<Findings> {
  const findings = new Findings();
  const pack = new PackFolder(folder);
  let keys = '';
  await findings.verify('keys.txt', () => {
    keys = pack.readText('keys.txt');
    demand(keys.endsWith('\n'), 'The last line has no end.');
    return `${keys.trim().split('\n').length} public keys: compare them with those that you know`;
  });
  const manifest = await verifyManifest(pack, keys, findings);
  if (!manifest) return findings;
  const newest = await verifyLog(pack, keys, findings);
  await findings.verify('manifest.json', () => {
    const isSame =
      newest?.size === manifest.size && newest.root === manifest.root && newest.origin === manifest.origin;
    demand(isSame, 'Its log is not that of the newest checkpoint.');
    return `the log ${manifest.origin} has ${manifest.size} leaves`;
  });
  await verifyLedger(pack, manifest, findings);
  await findings.verify('navs.jsonl', () => verifyNavs(pack, manifest));
  await findings.verify('audit.jsonl', () => verifyAudit(pack, manifest));
  return findings;
}

async function verifyLedger(pack: PackFolder, manifest: Manifest, findings: Findings): Promise<void> {
  if (!pack.hasFile('hashes.bin')) return; // the verification of the manifest has named it
  const hashes = new HashFile(pack);
  let accounts: Accounts | undefined;
  await findings.verify('accounts.jsonl', async () => {
    accounts = await Accounts.read(pack);
    return `the balances of ${accounts.size} accounts sum to zero in each asset`;
  });
  try {
    const days = await closedDaysOf(pack, manifest, hashes, findings);
    if (days) await findings.verify('assets.jsonl', () => verifyAssets(pack, days));
    const dayLeaves = days?.leaves ?? 0;
    if (accounts) await verifyTransactions(pack, { manifest, hashes, accounts, dayLeaves, findings });
  } finally {
    hashes.close();
  }
}

/** Undefined if liabilities.jsonl is wrong. */
async function closedDaysOf(
  pack: PackFolder,
  manifest: Manifest,
  hashes: HashFile,
  findings: Findings,
): Promise<ClosedDays | undefined> {
  let days: ClosedDays | undefined;
  await findings.verify('liabilities.jsonl', async () => {
    days = await ClosedDays.read(pack, manifest, hashes);
    return `${days.leaves} totals of liabilities of ${days.totals.size} days are in the log`;
  });
  return days;
}

interface Ledger {
  readonly manifest: Manifest;
  readonly hashes: HashFile;
  readonly accounts: Accounts;
  /** The number of leaves that are totals of days. */
  readonly dayLeaves: number;
  readonly findings: Findings;
}

async function verifyTransactions(
  pack: PackFolder,
  { manifest, hashes, accounts, dayLeaves, findings }: Ledger,
): Promise<void> {
  const journal = new JournalReader(pack, accounts);
  const verifier = new TransactionVerifier(manifest, hashes, accounts, journal);
  const areRight = await findings.verify('transactions.jsonl', async () => {
    for await (const { line, text, value } of pack.objects('transactions.jsonl')) {
      try {
        await verifier.verifyTransaction(text, value);
      } catch (error) {
        if (error instanceof Error) error.message = `line ${line}: ${error.message}`;
        throw error;
      }
    }
    const { count, entries } = verifier;
    const others = manifest.size - count - dayLeaves;
    return `${count} transactions with ${entries} entries are in the log and sum to zero; ${others} leaves are of other days`;
  });
  // The transactions are read up to the first wrong one: balances and journal cannot be compared with a part of them.
  if (!areRight) {
    if (journal.problem !== undefined) findings.addProblem('journal.hledger', journal.problem);
    return;
  }
  await findings.verify('accounts.jsonl', () => {
    accounts.requireClosingBalances();
    return 'the opening balances and the entries give the closing balances';
  });
  await journal.expectEnd();
  await findings.verify('journal.hledger', () => {
    demand(journal.problem === undefined, journal.problem ?? '');
    return `it has the same transactions and ${journal.assertions} true balances`;
  });
}
