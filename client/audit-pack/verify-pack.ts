import { demand } from '../encoding.js';
import { type VerifierKey, verifiersOf } from '../verifier-keys.js';
import { Accounts } from './accounts.js';
import { ClosedDays, verifyAssets } from './closed-days.js';
import { Findings, problemOf } from './findings.js';
import { JournalReader } from './journal.js';
import { dayAfter } from './json-members.js';
import { HashFile, type VerifiedLog, verifyLog } from './log-hashes.js';
import { type Manifest, listOtherFiles, verifyManifest } from './manifest.js';
import { OtherLeaves } from './other-leaves.js';
import { OwedComparison } from './owed.js';
import { atLine, PackFolder } from './pack-folder.js';
import { verifyAudit, verifyNavs } from './records.js';
import { TransactionVerifier } from './transactions.js';

/** Verifies the audit pack in a folder. No content of a pack makes it throw. */
export async function verifyPack(folder: string): Promise<Findings> {
  const findings = new Findings();
  try {
    await verifyFiles(new PackFolder(folder), findings);
  } catch (error) {
    findings.addProblem('the pack', problemOf(error));
  }
  return findings;
}

async function verifyFiles(pack: PackFolder, findings: Findings): Promise<void> {
  let keys: VerifierKey[] = [];
  await findings.verify('keys.txt', async () => {
    const text = pack.readText('keys.txt');
    demand(text.endsWith('\n'), 'The last line does not end with a line feed.');
    keys = await verifiersOf(text);
    return `${keys.length} public keys: compare them with those that you know`;
  });
  const manifest = await verifyManifest(pack, keys, findings);
  listOtherFiles(pack, findings);
  if (!manifest) return;
  const log = await verifyLog(pack, { keys, range: manifest }, findings);
  if (log)
    await findings.verify('manifest.json', () => {
      const isSame =
        log.size === manifest.size && log.root === manifest.root && log.origin === manifest.origin;
      demand(isSame, 'Its log is not that of the newest checkpoint.');
      return `the log ${manifest.origin} has ${manifest.size} leaves`;
    });
  await verifyLedger(pack, { manifest, log }, findings);
  await findings.verify('audit.jsonl', () => verifyAudit(pack, manifest));
}

interface ManifestAndLog {
  readonly manifest: Manifest;
  /** Undefined if a checkpoint is wrong. */
  readonly log: VerifiedLog | undefined;
}

/**
 * Verifies accounts, transactions with the journal, the totals of days with the assets, net asset values, and that no leaf is
 * missing.
 */
async function verifyLedger(
  pack: PackFolder,
  { manifest, log }: ManifestAndLog,
  findings: Findings,
): Promise<void> {
  if (!pack.hasFile('hashes.bin')) return; // the verification of the manifest reports it
  const hashes = new HashFile(pack);
  try {
    const accounts = await accountsOf(pack, findings);
    const days = await closedDaysOf(pack, manifest, hashes, findings);
    if (days) await findings.verify('assets.jsonl', () => verifyAssets(pack, days));
    const { lastDay: lastClosedDay = '' } = days ?? {};
    const { strategies = new Map<string, boolean>() } = accounts ?? {};
    await findings.verify('navs.jsonl', () =>
      verifyNavs(pack, { range: manifest, lastClosedDay, strategies }),
    );
    if (days && log) listUnfinishedDays({ manifest, log }, days, findings);
    if (!accounts) return;
    const context = { manifest, hashes, accounts, days, findings };
    const firstLeaf = await verifyTransactions(pack, context);
    // If one of these files is wrong, its leaves were not all read and would be reported as missing.
    if (firstLeaf !== undefined && days && log)
      await verifyAllLeaves(pack, { ...context, log, firstLeaf, days });
  } finally {
    hashes.close();
  }
}

/** Lists days of the range without totals, and the time after which the log has no transactions: a backup may be older than both. */
function listUnfinishedDays(
  { manifest: { from, to }, log: { signedAt } }: { readonly manifest: Manifest; readonly log: VerifiedLog },
  { firstDay, lastDay }: ClosedDays,
  { notVerified }: Findings,
): void {
  if (firstDay === undefined) notVerified.push('liabilities: the log has no total of these days');
  else {
    if (firstDay > from)
      notVerified.push(`liabilities: the log has no totals of the days before ${firstDay}`);
    if (lastDay < to) notVerified.push(`liabilities: the log has no totals of the days after ${lastDay}`);
  }
  if (signedAt < `${dayAfter(to, 1)}T`)
    notVerified.push(`transactions after ${signedAt}, when the newest checkpoint was signed`);
}

/** Undefined if accounts.jsonl is wrong. */
async function accountsOf(pack: PackFolder, findings: Findings): Promise<Accounts | undefined> {
  let accounts: Accounts | undefined;
  await findings.verify('accounts.jsonl', async () => {
    accounts = await Accounts.read(pack);
    return `the balances of ${accounts.size} accounts sum to zero in each asset`;
  });
  const { endBelowZero = [] } = accounts ?? {};
  const [first] = endBelowZero;
  if (first !== undefined)
    findings.notVerified.push(
      `${endBelowZero.length} closing balances of users below zero, the first ${first}: right only if credits of the first five minutes afterwards cover them`,
    );
  return accounts;
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

interface LedgerContext {
  readonly manifest: Manifest;
  readonly hashes: HashFile;
  readonly accounts: Accounts;
  /** Undefined if liabilities.jsonl is wrong. */
  readonly days: ClosedDays | undefined;
  readonly findings: Findings;
}

/** The lowest leaf of a transaction, Infinity if there is none; undefined if transactions.jsonl is wrong. */
async function verifyTransactions(
  pack: PackFolder,
  { manifest, hashes, accounts, days, findings }: LedgerContext,
): Promise<number | undefined> {
  const journal = new JournalReader(pack, accounts);
  const owed = days && new OwedComparison(days);
  if (owed) accounts.forEach((account, asset, balance) => owed.addOpening(account, asset, balance));
  const verifier = new TransactionVerifier(manifest, hashes, accounts, journal, owed);
  const areRight = await findings.verify('transactions.jsonl', async () => {
    for await (const { line, text, value } of pack.objects('transactions.jsonl'))
      await atLine(line, () => verifier.verifyTransaction(text, value));
    const { count, entries } = verifier;
    return `${count} transactions with ${entries} entries are in the log and sum to zero`;
  });
  // The transactions are read up to the first wrong one: balances and journal cannot be compared with a part of them.
  if (!areRight) {
    if (journal.problem !== undefined) findings.addProblem('journal.hledger', journal.problem);
    return undefined;
  }
  await findings.verify('accounts.jsonl', () => {
    accounts.requireClosingBalances();
    accounts.requireCoveredOpenings();
    return 'the opening balances and the entries give the closing balances';
  });
  if (owed) await findings.verify('liabilities.jsonl', () => owed.finish());
  await journal.compareEnd();
  await findings.verify('journal.hledger', () => {
    demand(journal.problem === undefined, journal.problem ?? '');
    return `it has the same transactions and ${journal.assertions} correct balance assertions`;
  });
  return verifier.firstLeaf;
}

interface LeafContext extends LedgerContext {
  readonly log: VerifiedLog;
  readonly firstLeaf: number;
  readonly days: ClosedDays;
}

/** Each leaf of the log is a transaction or a total of the pack, or belongs to a day outside of its range. */
async function verifyAllLeaves(
  pack: PackFolder,
  { manifest, log: { sealedBeforeEnd }, hashes, accounts, findings, firstLeaf, days }: LeafContext,
): Promise<void> {
  let others: OtherLeaves | undefined;
  const { openings } = accounts;
  await findings.verify('other-leaves.jsonl', async () => {
    const context = { range: manifest, sealedBeforeEnd, openings, firstLeaf, days };
    others = await OtherLeaves.read(pack, context, { hashes, findings });
    return `${others.before.count + others.after.count} transactions and ${others.totals} totals of other days`;
  });
  if (!others) return;
  const { before, after } = others;
  await findings.verify('hashes.bin', () => {
    const missing = hashes.listed.missingLeaves();
    demand(
      missing.count === 0,
      `No file of the pack names ${missing.toString()}: transactions or totals were removed.`,
    );
    return 'each leaf is a transaction or a total of the pack, or of another day';
  });
  if (before.count === 0)
    await findings.verify('accounts.jsonl', () => {
      demand(
        openings === 0,
        `${openings} accounts have an opening balance, although the log has no earlier transaction.`,
      );
      return 'no opening balances, since the log has no earlier transaction';
    });
  if (before.count > 0) findings.notVerified.push(`${before.toString()}: of days before ${manifest.from}`);
  if (after.count > 0) findings.notVerified.push(`${after.toString()}: of days after ${manifest.to}`);
  if (openings > 0) findings.notVerified.push(`the opening balances of ${openings} accounts`);
}
