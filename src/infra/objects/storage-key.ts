declare const brand: unique symbol

/** Name of an object, made by `storageKey` or `parseStorageKey` and nowhere else (design §1.11). */
export type StorageKey = string & { readonly [brand]: 'StorageKey' }

const SEGMENT = /^[A-Za-z0-9._-]{1,255}$/
const MAX_KEY_CHARACTERS = 1024

/**
 * The key of an object: segments joined by `/`, e.g. `storageKey('uploads', 17, 'avatar.png')`.
 *
 * A segment is 1 to 255 characters of `[A-Za-z0-9._-]`, not `.` or `..`; names that people choose are hashed or encoded
 * by the caller. The first segment does not begin with a dot: those names belong to the store itself. A key is at most
 * 1,024 characters long, as every S3-compatible service takes them. An object is not the folder of another one.
 * @throws TypeError when a segment is not allowed
 */
export function storageKey(...segments: readonly [string | number, ...(string | number)[]]): StorageKey {
  // Not String: the text of NaN or 1e21 would be a fine segment.
  const texts = segments.map((each) => (typeof each === 'string' ? each : Number.isSafeInteger(each) ? `${each}` : ''))
  const bad = texts.find((text, index) => !isSegment(text) || (index === 0 && text.startsWith('.')))
  if (texts.length === 0 || bad !== undefined) {
    throw new TypeError(`not a segment of a storage key: ${JSON.stringify(bad?.slice(0, 80))}`)
  }
  const key = texts.join('/')
  if (key.length > MAX_KEY_CHARACTERS) throw new TypeError('a storage key has at most 1,024 characters')
  return key as StorageKey
}

/**
 * A key that was stored as text, checked again.
 * @throws TypeError when the text is not a storage key
 */
export function parseStorageKey(text: string): StorageKey {
  const [first, ...others] = text.split('/')
  return storageKey(first ?? '', ...others)
}

/** Whether a name may stand in a key at all. */
export function isSegment(text: string): boolean {
  return SEGMENT.test(text) && text !== '.' && text !== '..'
}
