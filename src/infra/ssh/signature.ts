/** Verifies signatures of public keys (RFC 4253, 5656, 8332, 8709; OpenSSH's PROTOCOL.u2f). */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/** A signature as the SSH library provides it: X.509 encoding for ECDSA, unchanged for security keys. */
type Signature = {
  bytes: Buffer
  /** The digest algorithm of the client, for RSA keys only. */
  hash: 'sha256' | 'sha512' | undefined
  /** The signed data. */
  signed: Buffer
}

/** Splits a blob into fields with four-byte lengths. @returns null when they do not fill the blob exactly */
function fieldsOf(blob: Buffer): Buffer[] | null {
  const fields: Buffer[] = []
  for (let at = 0; at < blob.length; ) {
    if (blob.length - at < 4) return null
    const end = at + 4 + blob.readUInt32BE(at)
    if (end > blob.length) return null
    fields.push(blob.subarray(at + 4, end))
    at = end
  }
  return fields
}

/** The type in a public key blob. @returns null for a malformed blob */
export function typeOfBlob(blob: Buffer): string | null {
  return fieldsOf(blob)?.[0]?.toString('latin1') ?? null
}

const base64url = (bytes: Buffer | undefined) => (bytes ?? Buffer.alloc(0)).toString('base64url')

function ed25519Key(point: Buffer | undefined): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: base64url(point) }, format: 'jwk' })
}

const curves: Record<string, { name: string; digest: string }> = {
  nistp256: { name: 'P-256', digest: 'sha256' },
  nistp384: { name: 'P-384', digest: 'sha384' },
  nistp521: { name: 'P-521', digest: 'sha512' },
}

function ecdsaKey(curve: string, point: Buffer | undefined): KeyObject {
  const size = ((point?.length ?? 1) - 1) / 2
  const [x, y] = [point?.subarray(1, 1 + size), point?.subarray(1 + size)].map(base64url)
  return createPublicKey({ key: { kty: 'EC', crv: curves[curve]?.name, x, y }, format: 'jwk' })
}

/** Encodes a number for a JWK, without leading zeros. */
function unsigned(number: Buffer | undefined): string {
  const first = number?.findIndex((byte) => byte !== 0) ?? 0
  return base64url(number?.subarray(Math.max(0, first)))
}

/** Asynchronous: verifying with a large RSA key takes milliseconds. */
function check(digest: string | null, data: Buffer, key: KeyObject, signature: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    verify(digest, data, key, signature, (error, isRight) => resolve(!error && isRight))
  })
}

/** Encodes a number for X.509: tag, length, bytes. */
function derNumber(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x02, bytes.length]), bytes])
}

/** Converts `r` and `s` to the X.509 encoding. */
function derOf(pair: Buffer): Buffer | null {
  const [r, s, ...more] = fieldsOf(pair) ?? []
  if (!r || !s || more.length > 0 || r.length > 33 || s.length > 33) return null
  const body = Buffer.concat([derNumber(r), derNumber(s)])
  return Buffer.concat([Buffer.from([0x30, body.length]), body])
}

/** The flag for a touch of the security key. */
const touched = 0x01

/**
 * The data that a security key signs: a digest of the application, flags, counter, and a digest of the data. As in OpenSSH, the
 * flag for a touch is required.
 */
function checkSecurityKey(type: string, fields: Buffer[], { bytes, signed }: Signature): Promise<boolean> | boolean {
  const isEd25519 = type === 'sk-ssh-ed25519@openssh.com'
  const application = fields[isEd25519 ? 2 : 3]
  const inner = bytes.subarray(0, -5)
  const trailer = bytes.subarray(-5)
  if (!application || bytes.length < 6 || !((trailer[0] ?? 0) & touched)) return false
  const digest = (data: Buffer) => createHash('sha256').update(data).digest()
  const data = Buffer.concat([digest(application), trailer, digest(signed)])
  if (isEd25519) return check(null, data, ed25519Key(fields[1]), inner)
  const signature = derOf(inner)
  return signature !== null && check('sha256', data, ecdsaKey('nistp256', fields[2]), signature)
}

function checkPlain(type: string, fields: Buffer[], { bytes, hash, signed }: Signature): Promise<boolean> | boolean {
  if (type === 'ssh-ed25519') return check(null, signed, ed25519Key(fields[1]), bytes)
  if (type === 'ssh-rsa') {
    // Without a digest it would be SHA-1, for which signatures can be forged.
    if (hash === undefined) return false
    const jwk = { kty: 'RSA', n: unsigned(fields[2]), e: unsigned(fields[1]) }
    return check(hash, signed, createPublicKey({ key: jwk, format: 'jwk' }), bytes)
  }
  const curve = /^ecdsa-sha2-(nistp(?:256|384|521))$/.exec(type)?.[1]
  const digest = curve && curves[curve]?.digest
  if (!curve || !digest || fields[1]?.toString('latin1') !== curve) return false
  return check(digest, signed, ecdsaKey(curve, fields[2]), bytes)
}

/** Verifies a signature. @returns false for an invalid signature, and for a malformed key or signature */
export async function isSignedBy(blob: Buffer, signature: Signature): Promise<boolean> {
  const fields = fieldsOf(blob)
  const type = fields?.[0]?.toString('latin1')
  if (!fields || !type) return false
  try {
    return await (type.startsWith('sk-')
      ? checkSecurityKey(type, fields, signature)
      : checkPlain(type, fields, signature))
  } catch {
    // The numbers are not a valid key.
    return false
  }
}
