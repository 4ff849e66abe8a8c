import type { CreatedApiKey } from './api-keys.service.js';
import type { ApiKeyResponse, CreatedApiKeyResponse } from './dto/api-key.response.js';
import type { ApiKey } from './entities/api-key.entity.js';

export function toApiKeyResponse(apiKey: ApiKey): ApiKeyResponse {
  return {
    id: apiKey.id,
    name: apiKey.name,
    scopes: apiKey.scopes,
    expiresAt: apiKey.expiresAt?.toISOString() ?? null,
    networks: apiKey.networks,
    prefix: apiKey.prefix,
    createdAt: apiKey.createdAt.toISOString(),
    lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
    lastUsedFrom: apiKey.lastUsedFrom,
  };
}

export function toCreatedApiKeyResponse({ apiKey, key }: CreatedApiKey): CreatedApiKeyResponse {
  return { ...toApiKeyResponse(apiKey), key };
}
