import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';

/** Corrects which accounts are marked as those of admins: ADMINS_FILE changes without a request, and money can arrive at any account. */
@Injectable()
export class AdminAccountsJob {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly admins: AdminDirectoryService,
  ) {}

  @Job({
    name: 'admin-accounts',
    purpose:
      'Takes accounts whose addresses ADMINS_FILE lists out of the lists and reports of users, and back in if they own money',
    everySeconds: 60,
    atStart: true,
    exclusive: true,
  })
  async correctAccounts(): Promise<void> {
    const emails = this.admins.listEmails();
    await this.unitOfWork.runInTransaction((tx) => this.accounts.correctAdminMarks(tx, emails));
  }
}
