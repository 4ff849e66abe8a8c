import { Body, Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { AddressResponse } from '../../funds/addresses/dto/address.response.js';
import { ApiKeyResponse } from '../../identity/api-keys/dto/api-key.response.js';
import { toSessionResponse, toSignInResponse } from '../../identity/auth/auth.mapper.js';
import { SessionResponse, SignInResponse } from '../../identity/auth/dto/auth.response.js';
import { WebhookResponse } from '../../messaging/webhooks/dto/webhook.response.js';
import { OptionalReasonRequest } from './dto/admin-users.request.js';
import { UserCredentialsService } from './user-credentials.service.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

const Id = () => IdParam('user', 'USER_NOT_FOUND');

/** The sessions, sign-ins, API keys, addresses and webhooks of a user, in the responses that the user gets. */
@ApiTags('Admin: users')
@Controller('api/admin/users/:id')
export class UserCredentialsController {
  constructor(private readonly credentials: UserCredentialsService) {}

  @Get('sessions')
  @AdminRoute('users:read', {
    operationId: 'listUserSessions',
    summary: "A user's sessions, one per sign-in, at most a hundred, the newest first",
    data: [SessionResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async sessions(@Id() id: string): Promise<SessionResponse[]> {
    return (await this.credentials.listSessions(id)).map(toSessionResponse);
  }

  @Get('sign-ins')
  @AdminRoute('users:read', {
    operationId: 'listUserSignIns',
    summary: "A user's sign-ins of the last 90 days, at most a hundred, the newest first",
    data: [SignInResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async signIns(@Id() id: string): Promise<SignInResponse[]> {
    return (await this.credentials.listSignIns(id)).map(toSignInResponse);
  }

  @Get('api-keys')
  @AdminRoute('users:read', {
    operationId: 'listUserApiKeys',
    summary: "A user's API keys, at most twenty, the oldest first",
    data: [ApiKeyResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async apiKeys(@Id() id: string): Promise<ApiKeyResponse[]> {
    return toResponses(ApiKeyResponse, await this.credentials.listApiKeys(id));
  }

  @Get('addresses')
  @AdminRoute('users:read', {
    operationId: 'listUserAddresses',
    summary: "A user's address book, at most fifty entries, the oldest first",
    data: [AddressResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async addresses(@Id() id: string): Promise<AddressResponse[]> {
    return toResponses(AddressResponse, await this.credentials.listAddresses(id));
  }

  @Get('webhooks')
  @AdminRoute('users:read', {
    operationId: 'listUserWebhooks',
    summary: "A user's webhooks, at most ten, the oldest first",
    data: [WebhookResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async webhooks(@Id() id: string): Promise<WebhookResponse[]> {
    return toResponses(WebhookResponse, await this.credentials.listWebhooks(id));
  }

  @Delete('api-keys/:keyId')
  @AdminRoute('users:write', {
    operationId: 'revokeUserApiKey',
    summary: 'Revoke an API key of a user: it is refused from now on',
    data: ApiKeyResponse,
    errors: ['USER_NOT_FOUND', 'API_KEY_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async revokeApiKey(
    @Id() id: string,
    @IdParam('API key', 'API_KEY_NOT_FOUND', { name: 'keyId' }) keyId: string,
    @Body() { reason }: OptionalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ApiKeyResponse> {
    return toResponse(
      ApiKeyResponse,
      await this.credentials.revokeApiKey(id, keyId, reason?.trim() || undefined, admin),
    );
  }

  @Delete('addresses/:addressId')
  @AdminRoute('users:write', {
    operationId: 'removeUserAddress',
    summary: 'Remove an address from the address book of a user',
    data: AddressResponse,
    errors: ['USER_NOT_FOUND', 'ADDRESS_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async removeAddress(
    @Id() id: string,
    @IdParam('address', 'ADDRESS_NOT_FOUND', { name: 'addressId' }) addressId: string,
    @Body() { reason }: OptionalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AddressResponse> {
    return toResponse(
      AddressResponse,
      await this.credentials.removeAddress(id, addressId, reason?.trim() || undefined, admin),
    );
  }
}
