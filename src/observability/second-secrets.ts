import { Injectable, Logger } from '@nestjs/common';
import type { SecondSecret } from '../config/settings.js';
import { HOUR_MS } from '../common/durations.js';
import { Meters } from './meters.js';

const TOLD_EVERY_MS = HOUR_MS;

/** Records that a second secret (X_ALSO) was used. While that happens it must stay in the settings. */
@Injectable()
export class SecondSecrets {
  private readonly log = new Logger('Secrets');
  private readonly toldAt = new Map<SecondSecret, number>();

  constructor(private readonly meters: Meters) {}

  /** Counts each use and logs at most once an hour. */
  needed(setting: SecondSecret): void {
    this.meters.count('second-secret', setting);
    const now = performance.now();
    if (now - (this.toldAt.get(setting) ?? -Infinity) < TOLD_EVERY_MS) return;
    this.toldAt.set(setting, now);
    this.log.log(`${setting} was needed`);
  }
}
