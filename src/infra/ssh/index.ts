/** An SSH server that runs commands (contract 22 R1), and a client for git. Other folders import only from here. */

export { makeKeyPair } from './client/key-pair.ts'
export { openSshTunnel, type SshFailure, type SshRemote } from './client/tunnel.ts'
export { isSignedBy, readFields, typeOfBlob } from './keys/signature.ts'
export { defaultSshLimits } from './limits.ts'
export { listenForSsh, type SshListener } from './listener.ts'
export type { OfferedKey, PublicKeyBlob, SshCertificate, SshService, SshSession } from './types.ts'
