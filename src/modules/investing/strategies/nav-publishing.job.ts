import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { NavsService } from './navs.service.js';

/** Without the job, the first request after midnight would publish the values. */
@Injectable()
export class NavPublishingJob {
  constructor(private readonly navs: NavsService) {}

  @Job({
    name: 'nav-roll',
    purpose: 'Publishes the day’s values of all strategies soon after midnight, before a request has to',
    everySeconds: 15,
  })
  async publishMissingDays(): Promise<void> {
    await this.navs.publishMissingNavs();
  }
}
