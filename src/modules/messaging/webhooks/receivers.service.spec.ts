import type { AppConfig } from '../../../config/app-config.js';
import { ReceiversService, type DnsClient } from './receivers.service.js';

const PUBLIC = '93.184.216.34';
const PRIVATE = 'must not lead to a private, local or reserved address';

/** The answers of DNS; other names are unknown. */
const NAMES: Record<string, string[]> = {
  'hooks.example.com': [PUBLIC],
  'both.example.com': [PUBLIC, '2606:2800:220:1:248:1893:25c8:1946'],
  'loopback.example.com': ['127.0.0.1'],
  'loopback6.example.com': ['::1'],
  'metadata.example.com': ['169.254.169.254'],
  'inside.example.com': ['10.1.2.3'],
  'mixed.example.com': [PUBLIC, '192.168.0.1'],
  'mixed6.example.com': [PUBLIC, 'fd00::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
};

function receiversWith(settings: Partial<AppConfig> = {}): ReceiversService {
  const config = { isProduction: true, WEBHOOK_ALLOWED_NETWORKS: [], ...settings } as unknown as AppConfig;
  const dns = { resolveAddresses: (name: string) => Promise.resolve(NAMES[name] ?? []) } as DnsClient;
  return new ReceiversService(config, dns);
}

/** The addresses that the URL leads to, or the rule that it breaks. */
const addressesOrRule = (url: string, settings?: Partial<AppConfig>) =>
  receiversWith(settings)
    .resolveReceiver(url)
    .then(
      (addresses) => addresses.map(({ address }) => address),
      (error: Error) => error.message,
    );

describe('ReceiversService', () => {
  it.each([
    ['https://hooks.example.com/a?b=c', [PUBLIC]],
    ['https://hooks.example.com:443/', [PUBLIC]],
    ['https://hooks.example.com:80/', [PUBLIC]],
    ['https://both.example.com/', NAMES['both.example.com']],
    [`https://${PUBLIC}/`, [PUBLIC]],
    ['https://[2606:4700::1111]/', ['2606:4700::1111']],
    ['https://172.32.0.1/', ['172.32.0.1']], // after the private 172.16.0.0/12
    ['https://100.128.0.1/', ['100.128.0.1']], // after the shared 100.64.0.0/10
    ['https://11.0.0.1/', ['11.0.0.1']],
  ])('resolves %s to %j', async (url, addresses) => {
    expect(await addressesOrRule(url)).toEqual(addresses);
  });

  it.each([
    // loopback, in every spelling
    'https://127.0.0.1/',
    'https://127.255.255.254/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://localhost/',
    'https://loopback.example.com/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://loopback6.example.com/',
    // this host, this network
    'https://0.0.0.0/',
    'https://0/',
    'https://0.1.2.3/',
    'https://[::]/',
    // private
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://inside.example.com/',
    'https://[fc00::1]/',
    'https://[fdff::1]/',
    // carrier-grade NAT, link-local, metadata services of clouds
    'https://100.64.0.1/',
    'https://100.127.255.255/',
    'https://169.254.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://metadata.example.com/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    // multicast, broadcast, reserved, documentation, benchmarks, protocols
    'https://224.0.0.1/',
    'https://239.255.255.255/',
    'https://255.255.255.255/',
    'https://240.0.0.1/',
    'https://192.0.2.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://198.18.0.1/',
    'https://198.19.255.255/',
    'https://192.0.0.1/',
    'https://192.88.99.1/',
    'https://[ff02::1]/',
    'https://[fec0::1]/',
    'https://[100::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    // IPv4 addresses embedded in IPv6: mapped, compatible, NAT64, 6to4, Teredo
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[64:ff9b:1::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a9fe:a9fe::1]/',
    'https://[2001::1]/',
    'https://[2001:0:7f00:1::1]/',
    'https://mapped.example.com/',
    // hosts with one public and one private address
    'https://mixed.example.com/',
    'https://mixed6.example.com/',
  ])('refuses %s, which leads to a private, local or reserved address [SEC-045]', async (url) => {
    expect(await addressesOrRule(url)).toBe(PRIVATE);
  });

  it.each([
    ['http://hooks.example.com/', 'must begin with https://'],
    ['ftp://hooks.example.com/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['gopher://127.0.0.1/', 'must begin with https://'],
    ['hooks.example.com', 'must be an address that begins with https://'],
    ['https://', 'must be an address that begins with https://'],
    ['https://ann:pw@hooks.example.com/', 'must have no user name and no password'],
    ['https://hooks.example.com@127.0.0.1/', 'must have no user name and no password'],
    ['https://hooks.example.com:8443/', 'must have no port, or 80 or 443'],
    ['https://hooks.example.com:22/', 'must have no port, or 80 or 443'],
    ['https://unknown.example.com/', 'must have a host name that DNS resolves'],
  ])('refuses %s, because it %s [SEC-042]', async (url, rule) => {
    expect(await addressesOrRule(url)).toBe(rule);
  });

  it('accepts http, any port and the configured networks outside production, but no other private network', async () => {
    const development = { isProduction: false, WEBHOOK_ALLOWED_NETWORKS: ['127.0.0.0/8', '::1/128'] };
    expect(await addressesOrRule('http://127.0.0.1:4000/', development)).toEqual(['127.0.0.1']);
    expect(await addressesOrRule('http://localhost:4000/', development)).toEqual(['127.0.0.1', '::1']);
    expect(await addressesOrRule('http://10.0.0.1:4000/', development)).toBe(PRIVATE);
    expect(await addressesOrRule('http://inside.example.com/', development)).toBe(PRIVATE);
    expect(await addressesOrRule('ws://127.0.0.1:4000/', development)).toBe('must begin with https://');
  });
});
