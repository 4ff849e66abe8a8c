import { describeLoadBalancer } from '../fixtures/load-balancer.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { repetitions } from '../harness/repetitions.js';

describe('HAProxy with the configuration of docker/haproxy', () =>
  describeLoadBalancer('haproxy', repetitions(2000), (figure) => recordGuarantee('G-73', figure)));
