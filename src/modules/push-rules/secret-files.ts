/** Kinds of SSH keys, by the names that their files have. */
const keyKinds = ['rsa', 'dsa', 'ed25519', 'ecdsa', 'ecdsa_sk', 'ed25519_sk']

/** Files of these names, in whatever directory. */
const names = new Set(keyKinds.flatMap((kind) => [`id_${kind}`, `.id_${kind}`]))

/** Files that are at the end of a path. */
const places = [
  '.aws/credentials',
  'aws/credentials',
  'homefolder/aws/credentials',
  ...keyKinds.flatMap((kind) => [`ssh/id_${kind}`, `.ssh/personal_${kind}`, `config/server_${kind}`]),
]

const endings = ['.pem', '.key', '.history', '_history']

/**
 * The entry of the list of files that are likely to hold a secret which a path matches; null when none does. The list is the
 * one in the public documentation of push rules.
 */
export function secretPattern(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (names.has(name)) return name
  const place = places.find((one) => path === one || path.endsWith(`/${one}`))
  if (place !== undefined) return place
  const ending = endings.find((one) => name.endsWith(one))
  return ending === undefined ? null : `*${ending}`
}
