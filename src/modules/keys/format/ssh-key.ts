import { createHash, createPublicKey } from 'node:crypto'
import { readFields } from '../../../infra/ssh/index.ts'

/** The types of public keys that are known, by their names in OpenSSH (contract 01, "Keys"). */
export type KeyType =
  | 'ssh-rsa'
  | 'ssh-dss'
  | 'ecdsa-sha2-nistp256'
  | 'ecdsa-sha2-nistp384'
  | 'ecdsa-sha2-nistp521'
  | 'ssh-ed25519'
  | 'sk-ecdsa-sha2-nistp256@openssh.com'
  | 'sk-ssh-ed25519@openssh.com'

/** A public key as a line of an OpenSSH `.pub` file holds it. */
export type SshKey = {
  type: KeyType
  /** The decoded base64 part: the type again, and the key's numbers. */
  blob: Buffer
  /** Size as `ssh-keygen -l` prints it. */
  bits: number
  /** May be empty. */
  comment: string
}

/** The structure of the blob of a type. */
type Layout = {
  /** Fields after the type's own name. */
  fieldCount: number
  /** The key's size in bits, or null when its numbers cannot be those of a key. */
  bitsOf(fields: readonly Buffer[]): number | null
}

const smallestRsaBits = 512
/** The maximum of OpenSSH. */
const largestRsaBits = 16_384

/** A positive number in its only valid encoding: otherwise one key could have several fingerprints. */
function positive(field: Buffer | undefined): bigint | null {
  const [first, second = 0] = field ?? []
  if (!field || first === undefined || first >= 0x80 || (first === 0 && second < 0x80)) return null
  return BigInt(`0x${field.toString('hex')}`)
}

const bitLength = (number: bigint) => number.toString(2).length
const isOdd = (number: bigint) => number % 2n === 1n

function rsaBits([e, n]: readonly Buffer[]): number | null {
  const exponent = positive(e)
  const modulus = positive(n)
  if (exponent === null || modulus === null || !isOdd(exponent) || !isOdd(modulus)) return null
  const bits = bitLength(modulus)
  if (exponent < 3n || exponent >= modulus || bits < smallestRsaBits || bits > largestRsaBits) return null
  return bits
}

function dsaBits(fields: readonly Buffer[]): number | null {
  const [p, q, g, y] = fields.map(positive)
  if (!p || !q || !g || !y || !isOdd(p) || !isOdd(q)) return null
  const isInside = (number: bigint) => number > 1n && number < p
  if (q >= p || bitLength(q) < 160 || bitLength(p) < smallestRsaBits || !isInside(g) || !isInside(y)) return null
  return bitLength(p)
}

const curves = {
  nistp256: { bits: 256, name: 'P-256' },
  nistp384: { bits: 384, name: 'P-384' },
  nistp521: { bits: 521, name: 'P-521' },
} as const
type CurveId = keyof typeof curves

function isOnCurve(point: Buffer, name: string): boolean {
  const size = (point.length - 1) / 2
  const x = point.subarray(1, 1 + size).toString('base64url')
  const y = point.subarray(1 + size).toString('base64url')
  try {
    createPublicKey({ key: { kty: 'EC', crv: name, x, y }, format: 'jwk' })
    return true
  } catch {
    return false
  }
}

/** Points are uncompressed, as OpenSSH requires: 4, and both coordinates. */
function ecdsaBits(id: CurveId, [curve, point]: readonly Buffer[]): number | null {
  const { bits, name } = curves[id]
  if (!curve || !point || curve.toString('latin1') !== id) return null
  if (point.length !== 1 + 2 * Math.ceil(bits / 8) || point[0] !== 4) return null
  return isOnCurve(point, name) ? bits : null
}

function ed25519Bits(number: Buffer | undefined): number | null {
  return number?.length === 32 ? 256 : null
}

/** The application of a security key, usually `ssh:`. */
function isApplication(field: Buffer | undefined): boolean {
  return field !== undefined && /^[\x21-\x7e]{1,255}$/.test(field.toString('latin1'))
}

function ecdsa(id: CurveId): Layout {
  return { fieldCount: 2, bitsOf: (fields) => ecdsaBits(id, fields) }
}

const layouts: Record<KeyType, Layout> = {
  'ssh-rsa': { fieldCount: 2, bitsOf: rsaBits },
  'ssh-dss': { fieldCount: 4, bitsOf: dsaBits },
  'ecdsa-sha2-nistp256': ecdsa('nistp256'),
  'ecdsa-sha2-nistp384': ecdsa('nistp384'),
  'ecdsa-sha2-nistp521': ecdsa('nistp521'),
  'ssh-ed25519': { fieldCount: 1, bitsOf: ([number]) => ed25519Bits(number) },
  'sk-ecdsa-sha2-nistp256@openssh.com': {
    fieldCount: 3,
    bitsOf: (fields) => (isApplication(fields[2]) ? ecdsaBits('nistp256', fields) : null),
  },
  'sk-ssh-ed25519@openssh.com': {
    fieldCount: 2,
    bitsOf: ([number, application]) => (isApplication(application) ? ed25519Bits(number) : null),
  },
}

const space = /[ \t\r\n]/
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/

/** The end of the first `count` non-space characters of `text`. */
function endOfCharacters(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count; at++) if (!space.test(text[at] ?? '')) seen++
  return at
}

/**
 * Separates the base64 part from the comment that follows it. The former may contain spaces; the blob defines its length.
 */
function splitRest(rest: string, fieldCount: number): { blob: Buffer; fields: Buffer[]; comment: string } | null {
  const compact = rest.replace(/[ \t\r\n]+/g, '')
  const lead = /^[A-Za-z0-9+/]*={0,2}/.exec(compact)?.[0] ?? ''
  const bytes = Buffer.from(lead, 'base64')
  const read = readFields(bytes, fieldCount)
  if (!read) return null
  const end = bytes.length - read.rest.length
  const base64 = compact.slice(0, 4 * Math.ceil(end / 3))
  const blob = Buffer.from(base64, 'base64')
  // One text for one blob: nothing behind it, padded in full, no bits left over.
  if (blob.length !== end || blob.toString('base64') !== base64) return null
  const behind = rest.slice(endOfCharacters(rest, base64.length))
  const comment = behind.trim()
  if ((behind !== '' && !space.test(behind[0] ?? '')) || lineBreak.test(behind)) return null
  return { blob, fields: read.fields, comment }
}

/**
 * Parses a public key, one line of an OpenSSH `.pub` file (contract 01, "Keys"). Takes time in proportion to the length of
 * the text, which the caller limits.
 * @returns null for anything else: unknown types, certificates, private keys, options before the type, several lines, and
 *   numbers that cannot be those of a key
 */
export function parseSshKey(text: string): SshKey | null {
  const [, type = '', rest = ''] = /^([^ \t\r\n]+)[ \t\r\n]+(.*)$/s.exec(text.trim()) ?? []
  if (!Object.hasOwn(layouts, type)) return null
  const { fieldCount, bitsOf } = layouts[type as KeyType]
  const parts = splitRest(rest, 1 + fieldCount)
  const [name, ...fields] = parts?.fields ?? []
  if (!parts || name?.toString('latin1') !== type) return null
  const bits = bitsOf(fields)
  return bits === null ? null : { type: type as KeyType, blob: parts.blob, bits, comment: parts.comment }
}

/** The key as a line: `type base64 comment`. */
export function formatSshKey({ type, blob, comment }: Omit<SshKey, 'bits'>): string {
  return [type, blob.toString('base64'), ...(comment === '' ? [] : [comment])].join(' ')
}

/** 16 hexadecimal pairs with colons between them, as `ssh-keygen -l -E md5` prints them after `MD5:`. */
export function md5Fingerprint(blob: Buffer): string {
  const pairs = createHash('md5').update(blob).digest('hex').match(/../g) ?? []
  return pairs.join(':')
}

/** `SHA256:` and 43 characters of base64, as `ssh-keygen -l` prints them. */
export function sha256Fingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}
