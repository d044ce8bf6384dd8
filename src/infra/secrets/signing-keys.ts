import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

/** The thumbprint of RFC 7638, which is the id of a key. */
export async function thumbprintOf(publicKey: KeyObject): Promise<string> {
  const { calculateJwkThumbprint } = await import('jose')
  return calculateJwkThumbprint(publicKey.export({ format: 'jwk' }))
}

/** Makes a key that signs with RS256. @returns its id, and the private key as text */
export async function makeSigningKey(): Promise<{ kid: string; text: string }> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { kid: await thumbprintOf(publicKey), text }
}
