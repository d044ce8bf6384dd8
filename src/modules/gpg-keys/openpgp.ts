import type { Key } from 'openpgp'
import type { KeyIdentity } from './tables.ts'

/** The library is large, and few requests need it. */
const library = () => import('openpgp')

/** A public key, as far as it is stored. */
export type PublicKey = {
  fingerprint: string
  keyId: string
  subkeys: { fingerprint: string; key_id: string }[]
  identities: KeyIdentity[]
}

const beginning = '-----BEGIN PGP PUBLIC KEY BLOCK-----'
const end = '-----END PGP PUBLIC KEY BLOCK-----'

/** Why a text is no key (contract 20, x.user_gpg_create). */
export const invalidKeyText = `is invalid. A valid public GPG key begins with '${beginning}' and ends with '${end}'`

/** In characters; a key with many certifications has some thousands. Parsing takes time in proportion. */
export const longestKey = 65_536

async function parse(armoredKey: string): Promise<Key | null> {
  const { readKey } = await library()
  const key = await readKey({ armoredKey }).catch(() => null)
  return key === null || key.isPrivate() ? null : key
}

/** The identities that the key itself has signed; without the signature others could have added them. */
async function identitiesOf(key: Key): Promise<KeyIdentity[]> {
  const results = await key.verifyAllUsers().catch(() => [])
  const valid = new Set(results.filter(({ valid }) => valid).map(({ userID }) => userID))
  return key.users.flatMap(({ userID }) => {
    return userID && valid.has(userID.userID) && userID.email ? [{ name: userID.name, email: userID.email }] : []
  })
}

const fingerprintOf = (key: { getFingerprint(): string }) => key.getFingerprint().toUpperCase()

const keyIdOf = (fingerprint: string) => fingerprint.slice(-16)

/** Parses a public key in ASCII armour. @returns null when it is none */
export async function readPublicKey(text: string): Promise<PublicKey | null> {
  const given = text.trim()
  if (!given.startsWith(beginning) || !given.endsWith(end)) return null
  const key = await parse(given)
  if (!key) return null
  const fingerprint = fingerprintOf(key)
  const subkeys = key.getSubkeys().map((subkey) => {
    const ofSubkey = fingerprintOf(subkey)
    return { fingerprint: ofSubkey, key_id: keyIdOf(ofSubkey) }
  })
  return { fingerprint, keyId: keyIdOf(fingerprint), subkeys, identities: await identitiesOf(key) }
}

/** What a signature says by itself. */
export type CheckedSignature = {
  /** Whether it is a valid signature of these bytes by this key, which was usable then. */
  isValid: boolean
  /** How many signatures the block contains. */
  count: number
  /** When it was made, as the signer says. */
  madeAt: Date | null
}

/** Verifies a detached signature in ASCII armour by a stored key. */
export async function checkSignature(
  keyText: string,
  armoredSignature: string,
  payload: Buffer,
): Promise<CheckedSignature> {
  const { createMessage, readSignature, verify } = await library()
  const key = await parse(keyText)
  const signature = await readSignature({ armoredSignature }).catch(() => null)
  if (!key || !signature) return { isValid: false, count: 0, madeAt: null }
  const count = signature.packets.length
  const madeAt = signature.packets[0]?.created ?? null
  const message = await createMessage({ binary: new Uint8Array(payload) })
  const isValid = await verify({ message, signature, verificationKeys: key, format: 'binary' })
    .then(async ({ signatures }) => (await signatures[0]?.verified) === true)
    .catch(() => false)
  return { isValid: isValid && !(await key.isRevoked().catch(() => true)), count, madeAt }
}
