/** Kinds of SSH keys, by the names that their files have. */
const keyKinds = ['rsa', 'dsa', 'ed25519', 'ecdsa', 'ecdsa_sk', 'ed25519_sk']

/** File names, in any directory. */
const names = new Set(keyKinds.flatMap((kind) => [`id_${kind}`, `.id_${kind}`]))

/** Ends of paths. */
const pathEnds = [
  '.aws/credentials',
  'aws/credentials',
  'homefolder/aws/credentials',
  ...keyKinds.flatMap((kind) => [`ssh/id_${kind}`, `.ssh/personal_${kind}`, `config/server_${kind}`]),
]

const endings = ['.pem', '.key', '.history', '_history']

/**
 * The entry of the list of likely secrets that a path matches, or null. The list is that of the public documentation of push
 * rules.
 */
export function secretPattern(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (names.has(name)) return name
  const pathEnd = pathEnds.find((one) => path === one || path.endsWith(`/${one}`))
  if (pathEnd !== undefined) return pathEnd
  const ending = endings.find((one) => name.endsWith(one))
  return ending === undefined ? null : `*${ending}`
}
