import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeyResponse, CreatedApiKeyResponse } from './dto/api-key.response.js';
import { CreateApiKeyRequest } from './dto/api-keys.request.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

@Controller('api/user/api-keys')
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly stepUps: StepUps,
  ) {}

  /** Not idempotent: a stored response would contain the key. */
  @Post()
  @UserRoute({
    summary: 'Create an API key, which is shown only in this response; ignores Idempotency-Key',
    status: 201,
    data: CreatedApiKeyResponse,
    stepUp: true,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'SECURITY_HOLD', 'LIMIT_REACHED'],
  })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateApiKeyRequest,
    @StepUpToken() token: string | undefined,
  ): Promise<CreatedApiKeyResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'api-key.create');
    const { apiKey, key } = await this.apiKeys.createKey(user, body, stepUp);
    return toResponse(CreatedApiKeyResponse, apiKey, { key });
  }

  @Get()
  @UserRoute({ summary: "The user's API keys, at most twenty, the oldest first", data: [ApiKeyResponse] })
  async list(@CurrentUser() user: UserPrincipal): Promise<ApiKeyResponse[]> {
    return toResponses(ApiKeyResponse, await this.apiKeys.listKeys(user.id));
  }

  @Delete(':id')
  @UserRoute({
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key: it is refused from now on',
    data: ApiKeyResponse,
    errors: ['API_KEY_NOT_FOUND'],
  })
  async revoke(
    @CurrentUser() user: UserPrincipal,
    @IdParam('API key', 'API_KEY_NOT_FOUND') id: string,
  ): Promise<ApiKeyResponse> {
    return toResponse(ApiKeyResponse, await this.apiKeys.revokeKey(user.id, id));
  }
}
