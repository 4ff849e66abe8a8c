import { readControl, until } from './demo-client.js';
import { printDetail, printStep, requireThat } from './demo-output.js';

interface Mail {
  readonly subject: string;
  readonly text: string;
}

/** The user reads the mail about the completed withdrawal. */
export async function demonstrateMail(email: string, amount: string): Promise<void> {
  const subject = `Withdrawal of ${amount} USDC completed`;
  const mail = await until('the mail about the withdrawal', async () => {
    const mails = await readControl<Mail[]>(`/mails?to=${encodeURIComponent(email)}`);
    return mails.find((candidate) => candidate.subject === subject);
  });
  requireThat(/^Transaction: 0x[0-9a-f]{64}$/m.test(mail.text), 'the mail does not name the transaction');
  requireThat(!/0x[0-9a-f]{40}\b/i.test(mail.text), 'the mail contains a whole address');
  printStep(`the mail server has received "${mail.subject}" for ${email}:`);
  const lines = mail.text.split('\n').filter((line) => /^[A-Z][a-z]+: /.test(line));
  for (const line of lines) printDetail(line);
}
