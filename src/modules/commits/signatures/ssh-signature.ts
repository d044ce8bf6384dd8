import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { parseSshKey, type SshKey } from '../../keys/index.ts'

/** A signature as `ssh-keygen -Y sign` makes it (PROTOCOL.sshsig of OpenSSH). */
type SshSignature = {
  key: SshKey
  /** The namespace of the signature; `git` for commits and tags. */
  namespace: string
  reserved: Buffer
  hash: 'sha256' | 'sha512'
  algorithm: string
  signature: Buffer
  /** Flags and counter of a security key. */
  rest: Buffer
}

const armour = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/
const magic = 'SSHSIG'
const version = 1
const longestSignature = 64 * 1024
const hashes = ['sha256', 'sha512'] as const

/** Reads fields with a length prefix of four bytes; null when the bytes are too short. */
function fieldsOf(bytes: Buffer, count: number): { fields: Buffer[]; rest: Buffer } | null {
  const fields: Buffer[] = []
  let at = 0
  while (fields.length < count) {
    if (bytes.length - at < 4) return null
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return null
    fields.push(bytes.subarray(at + 4, end))
    at = end
  }
  return { fields, rest: bytes.subarray(at) }
}

function field(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes as string, 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

function keyOf(blob: Buffer): SshKey | null {
  const type = fieldsOf(blob, 1)?.fields[0]?.toString('latin1') ?? ''
  return parseSshKey(`${type} ${blob.toString('base64')}`)
}

/** @returns null for an invalid signature, or an unknown kind */
export function parseSshSignature(text: string): SshSignature | null {
  const base64 = text.length <= longestSignature ? armour.exec(text)?.[1] : undefined
  const bytes = Buffer.from(base64 ?? '', 'base64')
  const head = magic.length + 4
  if (bytes.length < head || bytes.toString('latin1', 0, magic.length) !== magic) return null
  const outer = bytes.readUInt32BE(magic.length) === version ? fieldsOf(bytes.subarray(head), 5) : null
  if (!outer || outer.rest.length > 0) return null
  const [blob, namespace, reserved, hashName, signed] = outer.fields as [Buffer, Buffer, Buffer, Buffer, Buffer]
  const inner = fieldsOf(signed, 2)
  const key = keyOf(blob)
  const hash = hashes.find((name) => name === hashName.toString('latin1'))
  if (!inner || !key || !hash) return null
  const [algorithm, signature] = inner.fields as [Buffer, Buffer]
  return {
    ...{ key, hash, reserved, signature, rest: inner.rest },
    namespace: namespace.toString('latin1'),
    algorithm: algorithm.toString('latin1'),
  }
}

const curves: Record<string, { name: string; hash: string; size: number }> = {
  nistp256: { name: 'P-256', hash: 'sha256', size: 32 },
  nistp384: { name: 'P-384', hash: 'sha384', size: 48 },
  nistp521: { name: 'P-521', hash: 'sha512', size: 66 },
}
const curveOf = (type: string) => curves[/nistp\d+/.exec(type)?.[0] ?? '']

/** The key for `node:crypto`; null for an unsupported type. */
function publicKeyOf({ type, blob }: SshKey): KeyObject | null {
  const curve = curveOf(type)
  const [, first, second] = fieldsOf(blob, type === 'ssh-ed25519' || type.startsWith('sk-ssh') ? 2 : 3)?.fields ?? []
  if (!first) return null
  const text = (bytes: Buffer) => bytes.toString('base64url')
  if (type.includes('ed25519')) {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text(first) }, format: 'jwk' })
  }
  if (type === 'ssh-rsa' && second) {
    return createPublicKey({ key: { kty: 'RSA', e: text(first), n: text(second) }, format: 'jwk' })
  }
  if (!curve || !second) return null
  const [x, y] = [second.subarray(1, 1 + curve.size), second.subarray(1 + curve.size)].map(text)
  return createPublicKey({ key: { kty: 'EC', crv: curve.name, x, y }, format: 'jwk' })
}

/** The two numbers of an ECDSA signature, padded and concatenated. */
function ecdsaSignature(signature: Buffer, size: number): Buffer | null {
  const numbers = fieldsOf(signature, 2)
  if (!numbers || numbers.rest.length > 0) return null
  const widths = numbers.fields.map((number) => {
    const digits = number[0] === 0 ? number.subarray(1) : number
    return digits.length > size ? null : Buffer.concat([Buffer.alloc(size - digits.length), digits])
  })
  const [r, s] = widths
  return r && s ? Buffer.concat([r, s]) : null
}

/** A security key signs a hash of the message with its own flags and counter. */
function seenBySecurityKey({ key, rest }: SshSignature, message: Buffer): Buffer | null {
  const fields = fieldsOf(key.blob, key.type.startsWith('sk-ecdsa') ? 4 : 3)?.fields
  const application = fields?.at(-1)
  if (!application || rest.length !== 5) return null
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
  return Buffer.concat([digest(application), rest, digest(message)])
}

const rsaHashes: Record<string, string> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }

function isSignedBy(publicKey: KeyObject, parsed: SshSignature, message: Buffer): boolean {
  const { key, algorithm, signature, rest } = parsed
  const isSecurityKey = key.type.startsWith('sk-')
  const data = isSecurityKey ? seenBySecurityKey(parsed, message) : rest.length === 0 ? message : null
  if (!data) return false
  // RSA keys sign with SHA-256 or SHA-512, which is not in the key's type; SHA-1 is refused.
  if (key.type === 'ssh-rsa') {
    const hash = rsaHashes[algorithm]
    return hash !== undefined && verify(hash, data, publicKey, signature)
  }
  if (algorithm !== key.type) return false
  const curve = curveOf(key.type)
  if (!curve) return signature.length === 64 && verify(null, data, publicKey, signature)
  const numbers = ecdsaSignature(signature, curve.size)
  return numbers !== null && verify(curve.hash, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, numbers)
}

/** Whether the signature is valid for these bytes and this namespace, by the key that it contains. */
export function verifySshSignature(parsed: SshSignature, payload: Buffer, namespace: string): boolean {
  if (parsed.namespace !== namespace) return false
  const digest = createHash(parsed.hash).update(payload).digest()
  const message = Buffer.concat([
    Buffer.from(magic, 'latin1'),
    ...[namespace, parsed.reserved, parsed.hash, digest].map(field),
  ])
  try {
    const publicKey = publicKeyOf(parsed.key)
    return publicKey !== null && isSignedBy(publicKey, parsed, message)
  } catch {
    // Invalid key material.
    return false
  }
}
