import type { AppConfig } from '../../../config/app-config.js';
import { toStrategiesResponse } from './strategy.response.js';

describe('the list of strategies', () => {
  it('says nothing of its making in production', () => {
    const now = new Date('2026-03-02T10:00:00Z');
    expect(toStrategiesResponse([], { isProduction: true } as AppConfig, now)).toEqual({ strategies: [] });
    expect(toStrategiesResponse([], { isProduction: false } as AppConfig, now)).toHaveProperty('debug');
  });
});
