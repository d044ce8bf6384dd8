import { hash } from 'node:crypto'
import { isSignedBy, readFields, typeOfBlob } from '../../../infra/ssh/index.ts'
import { parseSshKey, type SshKey } from '../../keys/index.ts'

/** A signature as `ssh-keygen -Y sign` makes it (PROTOCOL.sshsig of OpenSSH). */
type SshSignature = {
  key: SshKey
  /** The namespace of the signature; `git` for commits and tags. */
  namespace: string
  reserved: Buffer
  digest: 'sha256' | 'sha512'
  algorithm: string
  signature: Buffer
  /** Flags and counter of a security key. */
  rest: Buffer
}

const armour = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/
const magic = 'SSHSIG'
const version = 1
const longestSignature = 64 * 1024
const digests = ['sha256', 'sha512'] as const

function field(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes as string, 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

function keyOf(blob: Buffer): SshKey | null {
  return parseSshKey(`${typeOfBlob(blob)} ${blob.toString('base64')}`)
}

/** @returns null for an invalid signature, or an unknown kind */
export function parseSshSignature(text: string): SshSignature | null {
  const base64 = text.length <= longestSignature ? armour.exec(text)?.[1] : undefined
  const bytes = Buffer.from(base64 ?? '', 'base64')
  const head = magic.length + 4
  if (bytes.length < head || bytes.toString('latin1', 0, magic.length) !== magic) return null
  const outer = bytes.readUInt32BE(magic.length) === version ? readFields(bytes.subarray(head), 5) : null
  if (!outer || outer.rest.length > 0) return null
  const [blob, namespace, reserved, hashName, signed] = outer.fields as [Buffer, Buffer, Buffer, Buffer, Buffer]
  const inner = readFields(signed, 2)
  const key = keyOf(blob)
  const digest = digests.find((name) => name === hashName.toString('latin1'))
  if (!inner || !key || !digest) return null
  const [algorithm, signature] = inner.fields as [Buffer, Buffer]
  return {
    ...{ key, digest, reserved, signature, rest: inner.rest },
    namespace: namespace.toString('latin1'),
    algorithm: algorithm.toString('latin1'),
  }
}

const rsaDigests: Record<string, 'sha256' | 'sha512'> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }

/** Whether the signature is valid for these bytes and this namespace, by the key that it contains. */
export async function verifySshSignature(parsed: SshSignature, payload: Buffer, namespace: string): Promise<boolean> {
  const { key, algorithm, signature: bytes, rest: trailer } = parsed
  // The algorithm of an RSA key names the digest, which is not in the key's type.
  if (parsed.namespace !== namespace || (key.type !== 'ssh-rsa' && algorithm !== key.type)) return false
  const fields = [namespace, parsed.reserved, parsed.digest, hash(parsed.digest, payload, 'buffer')]
  const message = Buffer.concat([Buffer.from(magic, 'latin1'), ...fields.map(field)])
  return isSignedBy(key.blob, { bytes, rsaDigest: rsaDigests[algorithm], trailer }, message)
}
