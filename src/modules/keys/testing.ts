import { createECDH, createHash, generateKeyPairSync } from 'node:crypto'
import type { Person } from '../../testing/index.ts'
import { formatSshKey, type KeyType } from './format/ssh-key.ts'

/** Fields of a blob, each behind its length. */
export function blobOf(...fields: (Buffer | string)[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = Buffer.from(field as string, 'latin1')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

/** A number as a blob holds it: no needless zeros, but one where the number would seem negative. */
export function numberField(number: bigint): Buffer {
  const hex = number.toString(16)
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes
}

const curves = { nistp256: 'prime256v1', nistp384: 'secp384r1', nistp521: 'secp521r1' } as const
export type CurveId = keyof typeof curves

/** The point of a private number, which must be from 1 to below the curve's order. */
export function pointOf(curve: CurveId, secret: Buffer): Buffer {
  const exchange = createECDH(curves[curve])
  exchange.setPrivateKey(secret)
  return exchange.getPublicKey()
}

export const rsaBlob = (exponent: bigint, modulus: bigint) =>
  blobOf('ssh-rsa', numberField(exponent), numberField(modulus))

/** A modulus of a real RSA key. */
export function rsaModulus(bits: number): bigint {
  const { n = '' } = generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' })
  return BigInt(`0x${Buffer.from(n as string, 'base64url').toString('hex')}`)
}

/** The line of a key of the type in its blob. */
export function lineOf(blob: Buffer, comment = ''): string {
  const type = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1') as KeyType
  return formatSshKey({ type, blob, comment })
}

/** The line of an Ed25519 key that is the same for the same seed, and another for each other one. */
export function ed25519Line(seed: string, comment = ''): string {
  return lineOf(blobOf('ssh-ed25519', createHash('sha256').update(seed).digest()), comment)
}

const dsaPrimes = { p: (1n << 1023n) + 1155n, q: (1n << 159n) + 111n }

/** A key of the kind that is known and not taken. Its numbers have the form of one, and no more. */
export const dsaLine = lineOf(
  blobOf('ssh-dss', ...[dsaPrimes.p, dsaPrimes.q, 4n, 16n].map((number) => numberField(number))),
)

/** Adds the Ed25519 key of a seed to the caller's keys. */
export async function addKey(person: Person, seed: string): Promise<{ id: number; key: string }> {
  const { status, body } = await person.post('/user/keys', { title: seed, key: ed25519Line(seed, 'a comment') })
  if (status !== 201) throw new Error(`the key of ${seed} was not added: ${JSON.stringify(body)}`)
  return body
}
