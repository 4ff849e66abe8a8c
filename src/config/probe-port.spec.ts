import { type ConfigError, loadConfig } from './app-config.js';

describe('PROBE_PORT', () => {
  it('has to differ from the port of the API', () => {
    const faultsOf = (PROBE_PORT: string) => {
      try {
        loadConfig({ PORT: '3000', PROBE_PORT });
      } catch (error) {
        return (error as ConfigError).faults.filter((fault) => fault.startsWith('PROBE_PORT'));
      }
      return undefined;
    };
    expect(faultsOf('3000')).toEqual([expect.stringMatching(/^PROBE_PORT: "3000" is PORT, too/)]);
    expect(faultsOf('9000')).toEqual([]);
  });
});
