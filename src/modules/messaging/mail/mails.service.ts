import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../database/unit-of-work.js';
import { MailsRepository } from './mails.repository.js';

@Injectable()
export class MailsService {
  constructor(private readonly mails: MailsRepository) {}

  /** For the erasure of a user. */
  async deleteMailsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.mails.deleteMailsOfUser(tx, userId);
  }
}
