/** Reads and checks the certificates of users (OpenSSH's PROTOCOL.certkeys). */
import { isInNetwork, isNetwork } from '../../net/index.ts'
import type { PublicKeyBlob, SshCertificate } from '../types.ts'
import { isSignedBy, readFields, readSignature, typeOfBlob, writeFields } from './signature.ts'

/** The types of certificates: the type of the key in them, and how many fields it has after its type. */
const types: Readonly<Record<string, { type: string; fieldCount: number }>> = {
  'ssh-ed25519-cert-v01@openssh.com': { type: 'ssh-ed25519', fieldCount: 1 },
  'ssh-rsa-cert-v01@openssh.com': { type: 'ssh-rsa', fieldCount: 2 },
  'ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp256', fieldCount: 2 },
  'ecdsa-sha2-nistp384-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp384', fieldCount: 2 },
  'ecdsa-sha2-nistp521-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp521', fieldCount: 2 },
  'sk-ssh-ed25519-cert-v01@openssh.com': { type: 'sk-ssh-ed25519@openssh.com', fieldCount: 2 },
  'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'sk-ecdsa-sha2-nistp256@openssh.com', fieldCount: 3 },
}

/** Whether a type of a blob is that of a certificate. */
export const isCertificateType = (type: string) => Object.hasOwn(types, type)

/** A certificate as it was received. Nothing of it is verified. */
export type Certificate = SshCertificate & {
  /** The key of the user. */
  key: PublicKeyBlob
  isOfUser: boolean
  /** The user names for which it is valid; none stands for all. */
  principals: readonly string[]
  /** In seconds since 1970. */
  validAfter: number
  /** Restrictions by name. */
  options: ReadonlyMap<string, Buffer>
  /** What the authority has signed, and its signature. */
  signed: Buffer
  signature: Buffer
}

/** All fields of a list; null for a malformed one. */
function readList(bytes: Buffer): Buffer[] | null {
  const found: Buffer[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const read = readFields(rest, 1)
    if (!read) return null
    found.push(...read.fields)
    rest = read.rest
  }
  return found
}

/** Names and values in turn; null for a malformed list. */
function readOptions(bytes: Buffer): Map<string, Buffer> | null {
  const list = readList(bytes)
  if (!list || list.length % 2 !== 0) return null
  const pairs = list.flatMap((name, index): [string, Buffer][] => {
    const value = index % 2 === 0 ? list[index + 1] : undefined
    return value ? [[name.toString('latin1'), value]] : []
  })
  return new Map(pairs)
}

/** A time, or the largest number that is exact: `forever` is larger. */
function readSeconds(bytes: Buffer, at: number): number {
  const seconds = bytes.readBigUInt64BE(at)
  return Number(seconds < BigInt(Number.MAX_SAFE_INTEGER) ? seconds : BigInt(Number.MAX_SAFE_INTEGER))
}

const ofUser = 1
/** Serial number and kind. */
const headBytes = 8 + 4
/** Two times. */
const validityBytes = 8 + 8

/** Reads the blob of a certificate; null for anything else. */
export function readCertificate(blob: Buffer): Certificate | null {
  const { type, fieldCount } = types[typeOfBlob(blob) ?? ''] ?? {}
  const start = fieldCount === undefined ? null : readFields(blob, 2 + fieldCount)
  if (type === undefined || !start || start.rest.length < headBytes) return null
  const [, , ...numbers] = start.fields
  const names = readFields(start.rest.subarray(headBytes), 2)
  const [keyId, principals] = names?.fields ?? []
  if (!keyId || !principals || !names || names.rest.length < validityBytes) return null
  const end = readFields(names.rest.subarray(validityBytes), 5)
  const [options, , , authority, signature] = end?.fields ?? []
  if (!options || !authority || !signature || end?.rest.length !== 0) return null
  const [listed, restrictions] = [readList(principals), readOptions(options)]
  if (!listed || !restrictions) return null
  return {
    key: { type, blob: writeFields([Buffer.from(type), ...numbers]) },
    keyId: keyId.toString('utf8'),
    isOfUser: start.rest.readUInt32BE(8) === ofUser,
    principals: listed.map((principal) => principal.toString('utf8')),
    validAfter: readSeconds(names.rest, 0),
    validBefore: readSeconds(names.rest, 8),
    options: restrictions,
    authority: { type: typeOfBlob(authority) ?? '', blob: authority },
    signed: blob.subarray(0, blob.length - 4 - signature.length),
    signature,
  }
}

/** How a client has come. */
type Arrival = { moment: Date; username: string; address: string }

/** Whether the client comes from one of the networks that an option lists. A malformed list admits no client. */
function isFrom(address: string, value: Buffer): boolean {
  const networks = readFields(value, 1)?.fields[0]?.toString('latin1').split(',') ?? []
  return networks.every(isNetwork) && networks.some((network) => isInNetwork(address, network))
}

/** Whether a certificate admits a client, apart from who has signed it. Restrictions that are not known admit no client. */
export function isValidFor(certificate: Certificate, { moment, username, address }: Arrival): boolean {
  const { isOfUser, principals, validAfter, validBefore, options } = certificate
  const seconds = moment.getTime() / 1000
  if (!isOfUser || seconds < validAfter || seconds >= validBefore) return false
  if (principals.length > 0 && !principals.includes(username)) return false
  return [...options].every(([name, value]) => name === 'source-address' && isFrom(address, value))
}

/** Whether the authority that a certificate names has signed it. Authorities are keys, and no certificates. */
export async function isCertified({ authority, signed, signature }: Certificate): Promise<boolean> {
  const read = readSignature(signature, authority.type)
  return read !== null && isSignedBy(authority.blob, read.signature, signed)
}
