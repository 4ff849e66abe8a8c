import { text, url, type Reader } from './readers.js';
import { setting } from './setting.js';

const MAX_LENGTH = 255; // of a name and of a value, in OpenTelemetry's specification

/** The attributes in the form of OpenTelemetry and of W3C Baggage: names and values are percent-encoded. */
const resourceAttributes: Reader<Record<string, string>> = {
  expects:
    'a list such as deployment.environment.name=production,service.namespace=savings; in values , and = are %2C and %3D',
  read: (value) => {
    const attributes = value
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => pair.split('=').map((part) => decodeURIComponent(part.trim())));
    const isAttribute = ([name = '', content, ...rest]: string[]) =>
      name !== '' &&
      content !== undefined &&
      rest.length === 0 &&
      name.length <= MAX_LENGTH &&
      content.length <= MAX_LENGTH;
    return attributes.every(isAttribute)
      ? (Object.fromEntries(attributes.map(([name, content = '']) => [name, content])) as Record<
          string,
          string
        >)
      : undefined;
  },
};

/** Export of traces. The names are those of OpenTelemetry. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    url('http:', 'https:'),
    undefined,
    'collector that spans are sent to by OTLP over HTTP (<address>/v1/traces); no traces are exported without it',
    { mayBeLocal: true },
  ),
  OTEL_SERVICE_NAME: setting(
    text,
    undefined,
    'name of the service in exported traces; by default service.name of OTEL_RESOURCE_ATTRIBUTES, else stablecoin-platform',
  ),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    resourceAttributes,
    undefined,
    'attributes of the service in exported traces',
  ),
} as const;
