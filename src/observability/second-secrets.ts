import { Injectable, Logger } from '@nestjs/common';
import type { SecondSecret } from '../config/settings.js';
import { HOUR_MS } from '../common/durations.js';
import { Meters } from './meters.js';

const LOG_INTERVAL_MS = HOUR_MS;

/** Records the uses of second secrets, the settings whose names end with _ALSO. A second secret that is still used must stay in the settings. */
@Injectable()
export class SecondSecrets {
  private readonly log = new Logger('Secrets');
  private readonly loggedAt = new Map<SecondSecret, number>();

  constructor(private readonly meters: Meters) {}

  /** Counts each use, and logs a setting at most once an hour. */
  recordUse(setting: SecondSecret): void {
    this.meters.count('second-secret', setting);
    const now = performance.now();
    if (now - (this.loggedAt.get(setting) ?? -Infinity) < LOG_INTERVAL_MS) return;
    this.loggedAt.set(setting, now);
    this.log.log(`the second secret is still needed: keep ${setting}`);
  }
}
