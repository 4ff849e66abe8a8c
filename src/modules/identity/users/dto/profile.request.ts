import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsObject,
  IsString,
  Matches,
  ValidateNested,
} from 'class-validator';
import { IfPresent, LineInput } from '../../../../http/request/input.decorators.js';
import { ABOUT_CURRENCY, ABOUT_EMAIL, ABOUT_PUSH } from './user.response.js';

const LANGUAGE = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/;
const CURRENCY = /^[A-Z]{3}$/;
const MAX_APPLIED = 20;
const ABOUT_IGNORED = 'ignored, so that the preferences of the response can be sent back';

export function LanguageInput(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description, example: 'de-CH' }),
    IfPresent(),
    Matches(LANGUAGE, { message: 'must be a language tag such as en, de-CH or zh-Hant-TW' }),
  );
}

/** An absent field keeps its value. */
export class ChannelsRequest {
  @ApiProperty({ description: ABOUT_EMAIL })
  @IfPresent()
  @IsBoolean()
  email?: boolean;

  @ApiProperty({ description: ABOUT_PUSH })
  @IfPresent()
  @IsBoolean()
  push?: boolean;

  @ApiProperty({ description: ABOUT_IGNORED })
  @IfPresent()
  @IsBoolean()
  emailAvailable?: boolean;
}

/** An absent field keeps its value. */
class PreferenceFields {
  @LanguageInput('of the texts that clients show; mails and notifications are in German or English')
  language?: string;

  @ApiProperty({ description: ABOUT_CURRENCY, example: 'EUR' })
  @IfPresent()
  @Matches(CURRENCY, { message: 'must be a currency code of three capital letters such as EUR' })
  currency?: string;

  @ApiProperty({ description: 'which optional notifications the user wants' })
  @IfPresent()
  @Type(() => ChannelsRequest)
  @IsObject()
  @ValidateNested()
  notifications?: ChannelsRequest;
}

/** The preferences as the profile has them. */
export class PreferencesRequest extends PreferenceFields {
  @ApiProperty({ description: ABOUT_IGNORED })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(MAX_APPLIED)
  @IsString({ each: true })
  applied?: string[];
}

export class ProfileRequest extends PreferenceFields {
  @IfPresent()
  @LineInput({ maxLength: 200, isTrimmed: true, description: 'full name', example: 'Ann Example' })
  name?: string;

  @ApiProperty({ description: 'language, currency and notifications in the form of the response' })
  @IfPresent()
  @Type(() => PreferencesRequest)
  @IsObject()
  @ValidateNested()
  preferences?: PreferencesRequest;
}
