import { AppConfig } from './app-config.js';

describe('ADMIN_SECOND_FACTOR', () => {
  it('is `required` in production and `if-registered` elsewhere, unless it is set', () => {
    const mode = (values: Partial<AppConfig>) => new AppConfig(values as AppConfig).adminSecondFactor;
    expect(mode({ NODE_ENV: 'production' })).toBe('required');
    expect(mode({ NODE_ENV: 'development' })).toBe('if-registered');
    expect(mode({ NODE_ENV: 'production', ADMIN_SECOND_FACTOR: 'off' })).toBe('off');
  });
});
