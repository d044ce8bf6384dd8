import type { Algorithms, CipherAlgorithm, ServerHostKeyAlgorithm } from 'ssh2'
import { typeOfBlob } from '../keys/signature.ts'

/** These encrypt and authenticate in one pass, which costs two thirds of the others. */
const fastCiphers: CipherAlgorithm[] = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']

/**
 * The algorithms that are offered, best first; the client's preference decides. The library adds strict key exchange
 * (CVE-2023-48795). Left out are SHA-1, CBC, compression (it would unpack unauthenticated data), large Diffie-Hellman groups
 * (each exchange would block the event loop for half a second), and ChaCha20, which many clients prefer and which is slow
 * without a compiled implementation.
 */
const algorithms: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
  ],
  cipher: [...fastCiphers, 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
}

/** What a client of another server offers. @param hostKey of that server, in base64, where it is known: by its type alone it proves itself */
export function algorithmsOfClient(hostKey: string | null): Algorithms {
  const type = hostKey === null ? null : typeOfBlob(Buffer.from(hostKey, 'base64'))
  if (type === null) return algorithms
  const types = type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]
  return { ...algorithms, serverHostKey: types as ServerHostKeyAlgorithm[] }
}

/**
 * The algorithms for one client. OpenSSH before version 10 prefers a slower cipher, so clients that support a fast cipher are
 * offered only those.
 * @param ciphers the client's ciphers; null when they are unknown
 */
export function algorithmsFor(ciphers: readonly string[] | null): Algorithms {
  const isFast = fastCiphers.some((cipher) => ciphers?.includes(cipher))
  return isFast ? { ...algorithms, cipher: fastCiphers } : algorithms
}
