/** An SSH server that runs commands (contract 22 R1). Other folders import only from here. */

export { isSignedBy, readFields, typeOfBlob } from './keys/signature.ts'
export { defaultSshLimits } from './limits.ts'
export { listenForSsh, type SshListener } from './listener.ts'
export type { OfferedKey, PublicKeyBlob, SshCertificate, SshService, SshSession } from './types.ts'
