/** An SSH server that runs commands (contract 22 R1). Other folders import only from here. */
export { HostKeyError } from './host-keys.ts'
export { defaultSshLimits, type SshLimits } from './limits.ts'
export { listenForSsh, type SshListener } from './listener.ts'
export type { OfferedKey, SshLog, SshService, SshSession } from './types.ts'
