declare const brand: unique symbol

/** The key of an object. Only `storageKey` and `parseStorageKey` create it (design §1.11). */
export type StorageKey = string & { readonly [brand]: 'StorageKey' }

const SEGMENT = /^[A-Za-z0-9._-]{1,255}$/
const MAX_KEY_CHARACTERS = 1024

/**
 * Creates the key of an object: segments joined by `/`, for example `storageKey('uploads', 17, 'avatar.png')`.
 *
 * A segment is 1 to 255 characters of `[A-Za-z0-9._-]`, not `.` or `..`; callers hash or encode names of users.
 * The first segment does not begin with a dot: the store reserves these names. A key has at most 1,024 characters, the limit of
 * S3-compatible services. An object cannot be the folder of another one.
 * @throws TypeError when a segment is not allowed
 */
export function storageKey(...segments: readonly [string | number, ...(string | number)[]]): StorageKey {
  // Not `String`: the text of NaN or 1e21 would be a valid segment.
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
 * Parses a stored key.
 * @throws TypeError when the text is not a storage key
 */
export function parseStorageKey(text: string): StorageKey {
  const [first, ...others] = text.split('/')
  return storageKey(first ?? '', ...others)
}

/** Whether a name is a valid segment. */
export function isSegment(text: string): boolean {
  return SEGMENT.test(text) && text !== '.' && text !== '..'
}
