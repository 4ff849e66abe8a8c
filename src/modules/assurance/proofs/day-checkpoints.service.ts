import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Day } from '../../../common/days.js';
import { DAY_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { afterCommit } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { PublicText } from '../../../observability/logging/public-text.js';
import type { LogCheckpointEvent } from './log.events.js';
import { LogRepository } from './log.repository.js';
import type { SignedCheckpoint } from './proofs.types.js';

const CHECKPOINTS_PER_DELETE = 5000;

/** Publishes a checkpoint for each closed day. Deletes old checkpoints except the last one of each day. */
@Injectable()
export class DayCheckpointsService {
  private readonly log = new Logger('TransparencyLog');

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly domainEvents: DomainEvents,
    private readonly repository: LogRepository,
  ) {}

  /**
   * Sends the newest checkpoint to webhooks and, after the commit, to the log output, so that copies exist elsewhere. The
   * module liabilities calls it once for each day, in the transaction that appends the liabilities of the day.
   */
  async publishDayCheckpoint(tx: Tx, day: Day): Promise<void> {
    const checkpoint = (await this.repository.findNewestCheckpoint(tx)) as SignedCheckpoint;
    const name = 'log.checkpoint';
    await this.domainEvents.emit<LogCheckpointEvent>(tx, { name, at: this.clock.now(), day, checkpoint });
    const { size, note } = checkpoint;
    // `PublicText` is not redacted, although random base64 looks like a secret.
    const root = new PublicText(checkpoint.root.toString('base64'));
    const publicNote = new PublicText(note);
    afterCommit(tx, () => this.log.log({ msg: name, day, size, root, checkpoint: publicNote }));
  }

  /** All checkpoints are kept for PROOF_RETENTION_DAYS, afterwards the last one of each day. */
  async deleteOldCheckpoints(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.config.PROOF_RETENTION_DAYS * DAY_MS);
    const deleteBatch = () => this.repository.deleteCheckpointsBefore(before, CHECKPOINTS_PER_DELETE);
    while ((await deleteBatch()) === CHECKPOINTS_PER_DELETE && !stopping.aborted);
  }
}
