import { isObject, type JsonObject } from '../../../infra/json/index.ts'
import { type Digest, parseDigest } from '../blobs/digest.ts'
import { manifestInvalid } from '../http/problems.ts'
import { isForeignLayerType } from './media-types.ts'

/** What a manifest says about content that it refers to. */
export type Descriptor = { mediaType: string; digest: Digest; sizeBytes: number }

/** `isForeign`: the content may be elsewhere, so the repository need not have it. */
export type Layer = Descriptor & { isForeign: boolean }

/** Printable ASCII, so that every media type can be a header and a column. */
const mediaTypePattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** Whether a text has the form of a media type. */
export const isMediaType = (text: string) => mediaTypePattern.test(text)

/** A text of the form of a media type. @throws RegistryProblem 400 */
export function readMediaType(value: unknown, place: string): string {
  if (typeof value !== 'string' || !isMediaType(value)) throw manifestInvalid(place, 'must be a media type')
  return value
}

/** @param place where the descriptor is, such as `layers[3]` @throws RegistryProblem 400 */
export function readDescriptor(value: unknown, place: string): Descriptor {
  if (!isObject(value)) throw manifestInvalid(place, 'must be an object')
  const { size } = value
  const mediaType = readMediaType(value.mediaType, `${place}.mediaType`)
  const digest = typeof value.digest === 'string' ? parseDigest(value.digest) : null
  if (digest === null) throw manifestInvalid(`${place}.digest`, 'must be a sha256 or sha512 digest')
  if (!Number.isSafeInteger(size) || (size as number) < 0) {
    throw manifestInvalid(`${place}.size`, 'must be a whole number, 0 or more')
  }
  return { mediaType, digest, sizeBytes: size as number }
}

function readUrls(value: unknown, place: string): readonly string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || !value.every((url) => typeof url === 'string')) {
    throw manifestInvalid(place, 'must be an array of strings')
  }
  return value
}

const isHttpUrl = (text: string) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')

/** @throws RegistryProblem 400 */
export function readLayer(value: unknown, place: string): Layer {
  const descriptor = readDescriptor(value, place)
  const urls = readUrls((value as JsonObject).urls, `${place}.urls`)
  const isForeign = isForeignLayerType(descriptor.mediaType) && urls.length > 0 && urls.every(isHttpUrl)
  return { ...descriptor, isForeign }
}

/** Reads each member of an array. Null is an empty array, as some encoders write it. @throws RegistryProblem 400 */
export function readEach<T>(value: unknown, place: string, read: (value: unknown, place: string) => T): readonly T[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw manifestInvalid(place, 'must be an array')
  return value.map((each, index) => read(each, `${place}[${index}]`))
}

/** An object of strings; null when there are none. @throws RegistryProblem 400 */
export function readAnnotations(value: unknown): Record<string, string> | null {
  if (value === undefined || value === null) return null
  if (!isObject(value)) throw manifestInvalid('annotations', 'must be an object')
  const entries = Object.entries(value)
  const [wrong] = entries.find(([, text]) => typeof text !== 'string') ?? []
  if (wrong !== undefined) throw manifestInvalid(`annotations.${wrong}`, 'must be a string')
  return entries.length === 0 ? null : (value as Record<string, string>)
}
