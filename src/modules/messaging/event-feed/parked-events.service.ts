import { Injectable, Logger } from '@nestjs/common';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { EventDispatcher } from '../../../events/event-dispatcher.service.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { AuditService } from '../../core/audit/audit.service.js';

/** Events that a consumer could not handle and has passed over. */
@Injectable()
export class ParkedEventsService {
  private readonly log = new Logger('ParkedEvents');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly dispatcher: EventDispatcher,
    private readonly audit: AuditService,
  ) {}

  /**
   * Hands an event again to the consumers that have passed it over, or to one of them, and returns their names. Throws EVENT_NOT_FOUND if
   * no consumer has passed it over, and INVALID_STATE, without any change, if a consumer fails again.
   */
  repeatEvent(id: string, consumer: string | undefined, admin: AdminPrincipal): Promise<string[]> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const consumers = await this.handAgain(tx, id, consumer);
      if (consumers.length === 0) throwError('EVENT_NOT_FOUND');
      const subject = { type: 'event', id };
      await this.audit.record(tx, admin, { action: 'event.repeat', subject, after: { consumers } });
      return consumers;
    });
  }

  private async handAgain(tx: Tx, id: string, consumer: string | undefined): Promise<string[]> {
    try {
      return await this.dispatcher.repeat(tx, id, consumer);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.log.error({ msg: 'a repeated event was not handled', eventId: id, err: error });
      const message = 'A consumer could not handle the event again. Read the log, and correct the cause.';
      return throwError(
        'INVALID_STATE',
        { status: 'parked', action: 'repeat', allowedFrom: [] },
        { message },
      );
    }
  }
}
