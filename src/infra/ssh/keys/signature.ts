/** Reads public keys, and verifies their signatures (RFC 4253, 5656, 8332, 8709; OpenSSH's PROTOCOL.u2f). */
import { createPublicKey, hash, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto'

const curves: Record<string, { name: string; digest: string; numberBytes: number }> = {
  nistp256: { name: 'P-256', digest: 'sha256', numberBytes: 32 },
  nistp384: { name: 'P-384', digest: 'sha384', numberBytes: 48 },
  nistp521: { name: 'P-521', digest: 'sha512', numberBytes: 66 },
}

type PublicKey = {
  type: string
  key: KeyObject
  /** Of an ECDSA key. */
  curve: (typeof curves)[string] | undefined
  /** The application of a security key. */
  application: Buffer | undefined
}

/** Reads fields, each preceded by its length in four bytes; null when there are fewer. */
export function readFields(bytes: Buffer, count: number): { fields: Buffer[]; rest: Buffer } | null {
  const fields: Buffer[] = []
  let end = 0
  while (fields.length < count) {
    if (bytes.length - end < 4) return null
    const start = end + 4
    end = start + bytes.readUInt32BE(end)
    if (end > bytes.length) return null
    fields.push(bytes.subarray(start, end))
  }
  return { fields, rest: bytes.subarray(end) }
}

/** Writes fields, each after its length in four bytes. */
export function writeFields(fields: readonly Buffer[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(field.length)
      return [length, field]
    }),
  )
}

/** The type in the blob of a public key; null for a malformed blob. */
export function typeOfBlob(blob: Buffer): string | null {
  return readFields(blob, 1)?.fields[0]?.toString('latin1') ?? null
}

const base64url = (bytes: Buffer | undefined) => bytes?.toString('base64url')

/** The JWK of the numbers in a blob; null for an unsupported kind. */
function jwkOf(kind: string | undefined, [first, second]: readonly Buffer[], curve: PublicKey['curve']) {
  if (kind === 'ssh-ed25519') return { kty: 'OKP', crv: 'Ed25519', x: base64url(first) }
  if (kind === 'ssh-rsa') return { kty: 'RSA', e: base64url(first), n: base64url(second) }
  if (!curve || !second) return null
  const [x, y] = [second.subarray(1, 1 + curve.numberBytes), second.subarray(1 + curve.numberBytes)].map(base64url)
  return { kty: 'EC', crv: curve.name, x, y }
}

/** Reads the blob of a public key; null for an unsupported type. @throws Error when the numbers are not those of a key */
function publicKeyOf(blob: Buffer): PublicKey | null {
  const type = typeOfBlob(blob) ?? ''
  const [, sk, kind, curveId] = /^(sk-)?(ssh-ed25519|ssh-rsa|ecdsa-sha2-(\w+))(?:@openssh\.com)?$/.exec(type) ?? []
  const read = readFields(blob, (kind === 'ssh-ed25519' ? 2 : 3) + (sk ? 1 : 0))
  if (!read || read.rest.length > 0) return null
  const [, ...numbers] = read.fields
  const curve = curves[curveId ?? '']
  const jwk = jwkOf(kind, numbers, curve)
  if (!jwk || (curve && numbers[0]?.toString('latin1') !== curveId)) return null
  const application = sk ? numbers.at(-1) : undefined
  return { type, key: createPublicKey({ key: jwk, format: 'jwk' }), curve, application }
}

/** Asynchronous: verifying with a large RSA key takes milliseconds. */
function check(
  digest: string | null,
  data: Buffer,
  key: KeyObject | VerifyKeyObjectInput,
  signature: Buffer,
): Promise<boolean> {
  return new Promise((resolve) => {
    verify(digest, data, key, signature, (error, isRight) => resolve(!error && isRight))
  })
}

/** The two numbers of an ECDSA signature, padded and concatenated. */
function numbersOf(signature: Buffer, size: number): Buffer | null {
  const read = readFields(signature, 2)
  const [r, s] = (read?.fields ?? []).map((number) => {
    const digits = number[0] === 0 ? number.subarray(1) : number
    return digits.length > size ? null : Buffer.concat([Buffer.alloc(size - digits.length), digits])
  })
  return r && s && read?.rest.length === 0 ? Buffer.concat([r, s]) : null
}

type Signature = {
  bytes: Buffer
  /** The digest of a signature by an RSA key. Without one it would be SHA-1, for which signatures can be forged. */
  rsaDigest: 'sha256' | 'sha512' | undefined
  /** Flags and counter of a security key; empty for other keys. */
  trailer: Buffer
  /** Whether an ECDSA signature is in the encoding of X.509 instead of that of SSH. */
  isX509?: boolean
}

const trailerBytes = 5

const rsaDigests: Readonly<Record<string, 'sha256' | 'sha512'>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }

/**
 * Reads a signature in the encoding of SSH, with its algorithm.
 * @param type of the key
 * @returns null for a malformed signature, and for an algorithm that is not one of the key
 */
export function readSignature(encoded: Buffer, type: string): { algorithm: string; signature: Signature } | null {
  const read = readFields(encoded, 2)
  const [name, bytes] = read?.fields ?? []
  if (!read || !name || !bytes) return null
  const algorithm = name.toString('latin1')
  const rsaDigest = type === 'ssh-rsa' ? rsaDigests[algorithm] : undefined
  if (rsaDigest === undefined && algorithm !== type) return null
  return { algorithm, signature: { bytes, rsaDigest, trailer: read.rest } }
}

/** Verifies a signature of `data`. @returns false for an invalid signature, and for a malformed key or signature */
export async function isSignedBy(
  blob: Buffer,
  { bytes, rsaDigest, trailer, isX509 }: Signature,
  data: Buffer,
): Promise<boolean> {
  try {
    const found = publicKeyOf(blob)
    if (!found) return false
    const { type, key, curve, application } = found
    if (trailer.length !== (application ? trailerBytes : 0) || (type === 'ssh-rsa' && !rsaDigest)) return false
    const digest = (text: Buffer) => hash('sha256', text, 'buffer')
    // A security key signs a digest of the data with its own flags and counter.
    const signed = application ? Buffer.concat([digest(application), trailer, digest(data)]) : data
    if (!curve) return await check(type === 'ssh-rsa' ? (rsaDigest ?? null) : null, signed, key, bytes)
    if (isX509) return await check(curve.digest, signed, key, bytes)
    const numbers = numbersOf(bytes, curve.numberBytes)
    return numbers !== null && (await check(curve.digest, signed, { key, dsaEncoding: 'ieee-p1363' }, numbers))
  } catch {
    // The numbers are not a valid key.
    return false
  }
}
