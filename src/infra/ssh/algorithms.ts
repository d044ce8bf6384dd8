import type { Algorithms, CipherAlgorithm } from 'ssh2'

/** These cipher and sign in one, and so cost two thirds of the others. */
const fastCiphers: CipherAlgorithm[] = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']

/**
 * What a connection may be made of, best first; the client's preference decides. Strict key exchange, which the library
 * adds, keeps what is agreed on from being cut (CVE-2023-48795). Left out: SHA-1, CBC, compression (it would unpack what
 * nobody has vouched for), large Diffie-Hellman groups (each exchange would hold up everybody for half a second), and
 * ChaCha20, which many clients would choose, and which is slow where it is not compiled.
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

/**
 * What a client is offered. The client's preference counts, and that of OpenSSH before version 10 is a slower cipher: so
 * whoever can do with the fast ones is offered nothing else.
 * @param ciphers what the client can; null when that is not known
 */
export function algorithmsFor(ciphers: readonly string[] | null): Algorithms {
  const isFast = fastCiphers.some((cipher) => ciphers?.includes(cipher))
  return isFast ? { ...algorithms, cipher: fastCiphers } : algorithms
}
