import { describeLoadBalancer } from '../fixtures/load-balancer.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { repetitions } from '../harness/repetitions.js';

describe('nginx with the configuration of docker/nginx', () =>
  describeLoadBalancer('nginx', repetitions(2000), (figure) => recordGuarantee('G-74', figure)));
