import { Body, Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { AddressesService } from './addresses.service.js';
import { AddressResponse } from './dto/address.response.js';
import { AddAddressRequest, RenameAddressRequest } from './dto/addresses.request.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

const Id = () => IdParam('address', 'ADDRESS_NOT_FOUND');

@Controller('api/user/addresses')
export class AddressesController {
  constructor(
    private readonly addresses: AddressesService,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @UserRoute({
    summary: "The user's address book, at most fifty entries, the oldest first",
    data: [AddressResponse],
  })
  async list(@CurrentUser() user: UserPrincipal): Promise<AddressResponse[]> {
    return toResponses(AddressResponse, await this.addresses.listEntries(user.id));
  }

  @Post()
  @UserRoute({
    summary:
      "Add an address to the user's address book; if the book has it already, the answer is 200 with the unchanged entry",
    status: 201,
    answersExisting: true,
    stepUp: true,
    data: AddressResponse,
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_WALLET_ADDRESS',
      'NETWORK_NOT_SUPPORTED',
      'SECURITY_HOLD',
      'LIMIT_REACHED',
    ],
  })
  async add(
    @CurrentUser() user: UserPrincipal,
    @Body() body: AddAddressRequest,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AddressResponse> {
    const { entry, isNew } = await this.addresses.addEntry(
      user.id,
      body,
      this.stepUps.checkOf(user, token, 'address.add'),
    );
    if (!isNew) response.status(200);
    return toResponse(AddressResponse, entry);
  }

  @Put(':id')
  @UserRoute({
    summary: 'Change the label of an address',
    data: AddressResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'ADDRESS_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async rename(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @Body() { label }: RenameAddressRequest,
  ): Promise<AddressResponse> {
    return toResponse(AddressResponse, await this.addresses.renameEntry(user.id, id, label));
  }

  @Delete(':id')
  @UserRoute({
    summary: "Remove an address from the user's address book",
    data: AddressResponse,
    stepUp: true,
    errors: ['ADDRESS_NOT_FOUND'],
  })
  async remove(
    @CurrentUser() user: UserPrincipal,
    @Id() id: string,
    @StepUpToken() token: string | undefined,
  ): Promise<AddressResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'address.remove');
    return toResponse(AddressResponse, await this.addresses.deleteEntry(user.id, id, stepUp));
  }
}
