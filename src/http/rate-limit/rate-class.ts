/**
 * Which limit a route counts against; `none` is not limited. Of `sign-in` the route shows the state, and each
 * attempt is counted where it is made.
 */
export type RateClass = 'user' | 'admin' | 'public' | 'address' | 'faucet' | 'webhook' | 'sign-in' | 'none';
