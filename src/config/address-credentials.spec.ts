import { AppConfig, ConfigError, loadConfig, secretsOf } from './app-config.js';

describe('Credentials in the address of a setting', () => {
  const faultOf = (DEPOSIT_PROVIDER_URL: string) => {
    try {
      loadConfig({ NODE_ENV: 'production', DEPOSIT_PROVIDER_URL });
    } catch (error) {
      return (error as ConfigError).faults.find((fault) => fault.startsWith('DEPOSIT_PROVIDER_URL'));
    }
    throw new Error('the configuration has no fault');
  };

  it('are not shown in the faults of the setting [SEC-511]', () => {
    expect(faultOf('ftp://user:hunter2@deposits.example')).toMatch(
      /^DEPOSIT_PROVIDER_URL: "ftp:\/\/\*\*\*@deposits\.example" is not/,
    );
    expect(faultOf('http://user:hunter2@localhost:8545')).not.toMatch(/hunter/);
    expect(faultOf('http://user:hunter2@localhost:8545')).toEqual(
      expect.stringMatching(/^DEPOSIT_PROVIDER_URL.* this machine/),
    );
  });

  it('are kept from the log as they are written and as they are sent [SEC-513]', () => {
    const config = new AppConfig({ RPC_URL: 'https://user:hunter%402@node.example' } as AppConfig);
    const sent = Buffer.from('user:hunter@2').toString('base64');
    expect(secretsOf(config)).toEqual([config.RPC_URL, 'hunter%402', 'hunter@2', sent]);
  });
});
