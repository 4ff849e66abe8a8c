// `npm run admin:hash`: asks for a password and prints the passwordHash for ADMINS_FILE (argon2id).
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { hash } from '@node-rs/argon2';

const MINIMUM_LENGTH = 12;

const prompt = createInterface({ input: stdin, output: stdout });
const password = await prompt.question('Password (it is shown while you type): ');
prompt.close();
if (password.length < MINIMUM_LENGTH) {
  process.stderr.write(`The password needs at least ${MINIMUM_LENGTH} characters.\n`);
  process.exit(1);
}
stdout.write(`${await hash(password)}\n`);
