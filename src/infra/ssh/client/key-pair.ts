import { generateKey } from '../keys/host-keys.ts'

/** A pair of keys with which a client signs in. */
type SshKeys = {
  /** As OpenSSH writes it, without a passphrase. */
  privateKey: string
  /** One line, as `authorized_keys` has it. */
  publicKey: string
}

/** Makes a pair of Ed25519 keys. @param comment follows the public key */
export async function makeKeyPair(comment: string): Promise<SshKeys> {
  const { default: ssh2 } = await import('ssh2')
  const { text, key } = await generateKey(ssh2, 'ed25519')
  return { privateKey: text, publicKey: `${key.type} ${key.getPublicSSH().toString('base64')} ${comment}` }
}
