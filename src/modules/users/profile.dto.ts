import { FlagInput, NestedInput, PatternInput } from '../../http/validation/inputs.js';

const NAME = /^(?!\s)[^\p{Cc}]{1,200}(?<!\s)$/u;
const LANGUAGE = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/;
const CURRENCY = /^[A-Z]{3}$/;

/** What is left out stays as it is. */
export class ChannelsDto {
  @FlagInput({
    optional: 'never-null',
    description: 'wants e-mail; none is sent while emailAvailable is false',
  })
  email?: boolean;

  @FlagInput({ optional: 'never-null', description: 'optional in-app notifications: earning and promotion' })
  push?: boolean;
}

/** What is left out stays as it is. */
export class ProfileDto {
  @PatternInput(NAME, 'must be 1 to 200 characters on one line, without spaces around them', {
    optional: 'never-null',
    example: 'Ann Example',
  })
  name?: string;

  @PatternInput(LANGUAGE, 'must be a language tag such as en, de-CH or zh-Hant-TW', {
    optional: 'never-null',
    example: 'de-CH',
  })
  language?: string;

  @PatternInput(CURRENCY, 'must be a currency code of three capital letters such as EUR', {
    optional: 'never-null',
    description: 'for clients to show amounts in; the service answers in USDC',
    example: 'EUR',
  })
  currency?: string;

  @NestedInput(() => ChannelsDto, { optional: 'never-null' })
  notifications?: ChannelsDto;
}
