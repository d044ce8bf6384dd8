import { parseDateTime } from '../../../api/index.ts'
import { isObject } from '../../../infra/json/index.ts'
import type { ParsedManifest } from './validate.ts'

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
const epoch = '1970-01-01T00:00:00.000Z'

/** A date of RFC 3339 after 1970, in UTC with milliseconds; null for everything else. */
export function dateOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64 || !rfc3339.test(value)) return null
  // Some clients write more than nine digits.
  const date = parseDateTime(value.replace(/(\.\d{3})\d+/, '$1'))
  return date !== null && date > epoch ? date : null
}

/** `created` of the config of an image; null when it is not such a config. */
export function configDate(bytes: Uint8Array): string | null {
  try {
    const config: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return isObject(config) ? dateOf(config.created) : null
  } catch {
    return null
  }
}

/** The date in the annotations of a manifest; null when there is none. */
export const annotatedDate = ({ annotations }: Pick<ParsedManifest, 'annotations'>) =>
  dateOf(annotations?.['org.opencontainers.image.created'])

/**
 * `total_size` of an image (contract 02 R9): a layer listed twice counts twice, a foreign layer that is not stored 0.
 * @param sizes stored sizes by digest, in bytes
 */
export function layersSize({ layers }: Pick<ParsedManifest, 'layers'>, sizes: ReadonlyMap<string, number>): number {
  return layers.reduce((sum, { digest }) => sum + (sizes.get(digest) ?? 0), 0)
}
