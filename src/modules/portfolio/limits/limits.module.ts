import { Module } from '@nestjs/common';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { LimitsController } from './limits.controller.js';

@Module({
  imports: [StrategiesModule, WithdrawalsModule],
  controllers: [LimitsController],
})
export class LimitsModule {}
