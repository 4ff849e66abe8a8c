import { join } from 'node:path';
import { CallbackSender } from './callbacks.js';
import type { RetryPolicy } from './callbacks.js';
import type { RunningChain } from './chain.js';
import { startChainProxy } from './chain-proxy.js';
import { controlApi } from './control-api.js';
import { CustodyProvider } from './custody-provider.js';
import { DepositProvider } from './deposit-provider.js';
import { Faults } from './faults.js';
import type { FaultMode, Party } from './faults.js';
import { serve } from './http-server.js';
import type { RunningServer } from './http-server.js';
import { startIdentityProvider } from './identity-provider.js';
import type { IdentityProvider } from './identity-provider.js';
import { MailServer } from './mail-server.js';
import { MovableClock } from './movable-clock.js';
import { ScreeningProvider } from './screening-provider.js';
import { SANDBOX_SETTINGS } from './sandbox-settings.js';
import type { SandboxSettings } from './sandbox-settings.js';

export interface ProvidersOptions {
  dataDir: string;
  chain: RunningChain;
  /** The platform's address for callbacks; may be set after the start. */
  api: { url: string };
  /** The port of the control API and of the providers. A free port is chosen if it is 0 or absent. */
  port?: number;
  /** The port of the chain's proxy. A free port is chosen if it is 0 or absent. */
  chainPort?: number;
  settings?: SandboxSettings;
  blockIntervalMs?: number;
  retry?: RetryPolicy;
  checks?: Record<string, () => Promise<unknown>>;
}

export interface RunningProviders {
  /** The address of the control API and of the providers' interfaces. */
  url: string;
  /** The address of the proxy through which the platform calls the chain, and which applies the chain's faults. */
  chainUrl: string;
  issuer: string;
  identity: IdentityProvider;
  deposits: DepositProvider;
  custody: CustodyProvider;
  screening: ScreeningProvider;
  mail: MailServer;
  faults: Faults;
  clock: MovableClock;
  startFault(party: Party, mode: FaultMode, count?: number): Promise<void>;
  /** Ends a party's fault and sends the callbacks that it delayed. */
  endFault(party: Party): Promise<void>;
  stop(): Promise<void>;
}

const BLOCK_INTERVAL_MS = 300;

/** Starts the providers, the domain clock and the control API. */
export async function startProviders(options: ProvidersOptions): Promise<RunningProviders> {
  const { dataDir, chain, api, retry, settings = SANDBOX_SETTINGS } = options;
  const { blockIntervalMs = BLOCK_INTERVAL_MS, checks = {} } = options;
  const faults = new Faults();
  const senders = {
    deposit: new CallbackSender('deposit', faults, retry),
    custody: new CallbackSender('custody', faults, retry),
  };
  const mail = await MailServer.start(faults);
  const startFault = async (party: Party, mode: FaultMode, count?: number) => {
    faults.set(party, mode, count);
    if (party === 'mail') await (mode === 'away' ? mail.close() : mail.listen());
  };
  const endFault = async (party: Party) => {
    faults.clear(party);
    if (party === 'mail') await mail.listen();
    if (party === 'deposit' || party === 'custody') await senders[party].sendHeldCallbacks();
  };
  // The issuer's address contains the port, so that the server has to listen before `app` exists. It answers 503 until then.
  let app: ReturnType<typeof controlApi> | undefined;
  const server: RunningServer = await serve((request, response) => {
    if (app) app(request, response);
    else response.writeHead(503).end();
  }, options.port ?? 0);
  const chainProxy = await startChainProxy(chain.rpcUrl, faults, options.chainPort ?? 0);

  const issuer = `${server.url}/idp`;
  const identity = await startIdentityProvider({ dataDir, issuer, audience: settings.IDP_AUDIENCE });
  const clock = new MovableClock(join(dataDir, 'clock.json'));
  const deposits = new DepositProvider({
    dataDir,
    chain,
    settings,
    api,
    callbacks: senders.deposit,
    clock,
    blockIntervalMs,
  });
  const custody = new CustodyProvider(settings, api, senders.custody);
  const screening = new ScreeningProvider(dataDir, settings.SCREENING_SECRET);
  const parts = { identity, deposits, custody, screening, mail, faults, clock, startFault, endFault };
  const allChecks = { chain: () => chain.blockNumber(), ...checks };
  app = controlApi({ settings, chain, ...parts, checks: allChecks });

  const stop = async () => {
    deposits.stop();
    custody.stop();
    await Promise.all([server.stop(), chainProxy.stop(), mail.close()]);
  };
  return { url: server.url, chainUrl: chainProxy.url, issuer, ...parts, stop };
}
