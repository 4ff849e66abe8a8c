/** Which limit a route counts against (D51); `none` is not limited. */
export type RateClass = 'user' | 'admin' | 'public' | 'address' | 'none';
