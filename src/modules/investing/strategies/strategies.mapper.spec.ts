import { toStrategiesResponse } from './strategies.mapper.js';

describe('toStrategiesResponse', () => {
  it('has a debug section outside production only', () => {
    const now = new Date('2026-03-02T10:00:00Z');
    expect(toStrategiesResponse([], { isProduction: true }, now)).toEqual({ strategies: [] });
    expect(toStrategiesResponse([], { isProduction: false }, now)).toHaveProperty('debug');
  });
});
