import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { PublicRoute } from '../../http/auth/route.js';
import { RawAnswer } from '../../http/envelope/answer.js';
import { Drain } from '../../http/lifecycle/drain.js';
import { Clock } from '../../kernel/clock.js';

/** Probes of Kubernetes: `live` asks the process alone, `ready` also the database. */
@Controller()
export class HealthController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly drain: Drain,
  ) {}

  @Get('api/ping')
  @PublicRoute({ summary: 'Answers pong', rateClass: 'none' })
  ping(): RawAnswer {
    return new RawAnswer({
      status: 'ok',
      success: true,
      message: 'pong',
      timestamp: this.clock.now().toISOString(),
    });
  }

  @Get('api/health/live')
  @PublicRoute({ summary: 'Whether the process runs', rateClass: 'none' })
  live(): { status: string } {
    return { status: 'healthy' };
  }

  @Get('api/health/ready')
  @PublicRoute({ summary: 'Whether requests can be served', rateClass: 'none' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<{ status: string }> {
    const healthy = !this.drain.isEnding && (await this.databaseAnswers());
    if (!healthy) response.status(503);
    return { status: healthy ? 'healthy' : 'unhealthy' };
  }

  private async databaseAnswers(): Promise<boolean> {
    return this.dataSource.query('select 1').then(
      () => true,
      () => false,
    );
  }
}
