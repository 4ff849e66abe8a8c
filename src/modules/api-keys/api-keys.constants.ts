export const MAX_KEYS_PER_USER = 20;
export const MAX_NETWORKS_PER_KEY = 20;

/** The least recently used networks above this number are forgotten: a later use from one is reported as new. */
export const MAX_REMEMBERED_NETWORKS_PER_KEY = 1000;
