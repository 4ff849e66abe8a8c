import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { DemoFailure, type Person } from './demo-client.js';
import type { Admins } from './demo-operations.js';
import type { ProvenDeposit } from './demo-proofs.js';
import { requireEqual, requireThat, printStep, printDetail } from './demo-output.js';
import { PLATFORM_DATABASE, postgresUrl } from './postgres.js';
import { DEFAULT_PORTS, sandboxSettings } from './sandbox-settings.js';

// An auditor verifies the records of a day. Then a deposit is changed on a copy of the database with triggers disabled. The
// auditor finds the change in the audit pack of the copy, although the pack is signed with the key of the log. The copy is a
// restored backup, because PostgreSQL cannot copy a database that is in use.

const COMMANDS = fileURLToPath(new URL('../operations/run.js', import.meta.url));
const PLATFORM_URL =
  process.env.DATABASE_URL ||
  postgresUrl(Number(process.env.DATABASE_PORT || DEFAULT_PORTS.DATABASE_PORT), PLATFORM_DATABASE);
const STOLEN = '100'; // USDC

interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

export async function auditTamperedCopy({ ada }: Admins, deposit: ProvenDeposit): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'demo-audit-'));
  const copy = `demo_copy_${process.pid}`;
  try {
    await verifyAuditPack(ada, deposit.day, join(folder, 'right'));
    await queryDatabase(PLATFORM_URL, `create database ${copy}`);
    await tamperWithCopy(copyUrl(copy), deposit, folder);
  } finally {
    await queryDatabase(PLATFORM_URL, `drop database if exists ${copy} with (force)`);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function verifyAuditPack(ada: Person, day: string, folder: string): Promise<void> {
  const archive = await ada.download(`/api/admin/audit-pack?from=${day}&to=${day}`);
  const { failed, output } = await runVerifier(archive, folder);
  requireThat(!failed, `the verifier of the audit pack found:\n${output}`);
  const line = output.split('\n').find((text) => text.includes('are in the log and sum to zero'));
  printStep(`an auditor downloads the audit pack of ${day} and runs its verifier, without the platform:`);
  printDetail(line?.replace(/^right\s+/, '') ?? output);
}

async function tamperWithCopy(url: string, deposit: ProvenDeposit, folder: string): Promise<void> {
  const backup = join(folder, 'backup');
  await Promise.all([runCommand(url, 'migrate'), runCommand(PLATFORM_URL, 'backup', backup)]);
  await runCommand(url, 'restore', backup);
  await reduceDeposit(url, deposit.id);
  printStep(
    `on a copy of the database the deposit is rewritten to ${STOLEN}.00 USDC less, with triggers disabled; every sum and every balance still agrees`,
  );

  const file = join(folder, 'pack.tar.gz');
  await runCommand(url, 'audit-pack', '--from', deposit.day, '--to', deposit.day, '--out', file);
  const { failed, output } = await runVerifier(file, join(folder, 'wrong'));
  const errors = output.split('\n').filter((line) => line.startsWith('WRONG'));
  requireThat(
    failed && errors.some((line) => /transactions\.jsonl.*leaf/.test(line)),
    `the verifier did not find the changed deposit:\n${output}`,
  );
  printStep('the audit pack of the copy, signed with the right key, does not pass its verifier:');
  for (const line of errors) printDetail(line);
}

/**
 * Reduces the entries of the deposit, the balance of the user's account and the balances in its later entries, so that all of
 * them agree.
 */
async function reduceDeposit(url: string, depositId: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('set session_replication_role = replica'); // no triggers
    // Only the entry of the user's account states a balance; the entries of the platform's accounts do not.
    const { rows } = await client.query<{ account: string; entry: string; transaction: string }>(
      `select account_id as account, entry.id as entry, transaction_id as transaction
         from ledger_entry as entry join ledger_transaction as posted on posted.id = transaction_id
        where posted.type = 'deposit' and reference_id = $1 and balance_after is not null`,
      [depositId],
    );
    const [{ account, entry, transaction }] = rows as [(typeof rows)[number]];
    await client.query(
      `update ledger_entry set amount = amount - sign(amount) * ${STOLEN} where transaction_id = $1`,
      [transaction],
    );
    await client.query(
      `update ledger_entry set balance_after = balance_after - ${STOLEN} where account_id = $1 and id >= $2`,
      [account, entry],
    );
    await client.query(`update ledger_account set balance = balance - ${STOLEN} where id = $1`, [account]);
    const { rows: differences } = await client.query<{ count: number }>(
      `select (select count(*) from (select from ledger_entry group by transaction_id, asset having sum(amount) <> 0))::int
            + (select count(*) from ledger_account as account
                where balance <> (select coalesce(sum(amount), 0) from ledger_entry where account_id = account.id))::int as count`,
    );
    requireEqual(differences[0]?.count, 0, 'the number of sums and balances that do not agree');
  } finally {
    await client.end();
  }
}

async function queryDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

function copyUrl(database: string): string {
  const url = new URL(PLATFORM_URL);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs a command as `npm run migrate`, `backup`, `restore` and `audit-pack` do, without their build. */
async function runCommand(databaseUrl: string, ...command: string[]): Promise<void> {
  const { LOG_SIGNING_KEY } = sandboxSettings(process.env);
  const env = { ...process.env, DATABASE_URL: databaseUrl, LOG_SIGNING_KEY };
  const { failed, output } = await runProgram(process.execPath, [COMMANDS, ...command], { env });
  if (failed) throw new DemoFailure(`${command[0]}: ${output}`);
}

/** Unpacks an audit pack into a new folder and runs the verifier in it, as an auditor does. */
async function runVerifier(archive: Buffer | string, folder: string): Promise<Outcome> {
  mkdirSync(folder);
  const file = typeof archive === 'string' ? archive : join(folder, 'pack.tar.gz');
  if (typeof archive !== 'string') writeFileSync(file, archive);
  const unpacked = await runProgram('tar', ['-xzf', file, '--strip-components=1'], { cwd: folder });
  if (unpacked.failed) throw new DemoFailure(`tar: ${unpacked.output}`);
  return runProgram(process.execPath, ['verify.mjs'], { cwd: folder });
}

function runProgram(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}
