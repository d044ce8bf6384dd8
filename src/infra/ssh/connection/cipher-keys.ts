import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Connection } from 'ssh2'

/** Fields of the library that are missing in its types. The ciphers of other algorithms are made once, and have no such fields. */
type Ciphers = {
  _protocol: { _cipher?: { _encKey?: Buffer | KeyObject }; _decipher?: { _decipherKey?: Buffer | KeyObject } }
}

/**
 * Turns the keys of a connection into objects, after each key exchange. The library makes a cipher for each packet; with a key of
 * bytes, Node takes as long for that as for encrypting the packet.
 */
export function turnKeysIntoObjects(connection: Connection): void {
  const { _cipher: cipher, _decipher: decipher } = (connection as unknown as Ciphers)._protocol
  if (cipher && Buffer.isBuffer(cipher._encKey)) cipher._encKey = createSecretKey(cipher._encKey)
  if (decipher && Buffer.isBuffer(decipher._decipherKey)) decipher._decipherKey = createSecretKey(decipher._decipherKey)
}
