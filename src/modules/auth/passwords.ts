import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';

/** argon2id with the library's defaults: 19 MiB, two passes. */
@Injectable()
export class Passwords {
  // Compared with when there is no account: an unknown e-mail address costs as much time as a known one.
  private readonly dummy = hash('nobody has this password');

  /** The hash to keep. */
  hash(password: string): Promise<string> {
    return hash(password);
  }

  /** False, after the same time, when there is no hash. */
  async matches(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    const right = await verify(passwordHash ?? (await this.dummy), password).catch(() => false);
    return right && typeof passwordHash === 'string';
  }
}
