/** The public types of `infra/ssh`. They are independent of projects, users and the database. */
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../clock/index.ts'
import type { SshLimits } from './limits.ts'

/** The SSH library, loaded when SSH is served: a start without it is faster. */
export type Ssh2 = typeof import('ssh2')

export type PublicKeyBlob = {
  /** The type in the blob, such as `ssh-ed25519`. */
  type: string
  /** The key; a `.pub` file contains it in base64. */
  blob: Buffer
}

/** A certificate of a user. */
export type SshCertificate = {
  /** What the authority calls the user. */
  keyId: string
  /** The key that has signed it. */
  authority: PublicKeyBlob
  /** In seconds since 1970, or the largest exact number. */
  validBefore: number
}

/** A public key that a client offers, or a certificate with it. This does not authenticate: keys are public. */
export type OfferedKey = PublicKeyBlob & {
  /**
   * It is valid now, here and for the user name. Whether the authority has really signed it is verified after `authenticate` has
   * found the authority.
   */
  certificate?: SshCertificate
}

/** A command of an authenticated client. */
export type SshSession<Identity> = {
  identity: Identity
  /** As the client sent it; empty for a shell. */
  command: string
  /** Value of the variable `GIT_PROTOCOL`, when the client set it. Printable ASCII. */
  gitProtocol: string | undefined
  /** Address of the client. */
  address: string
  /** Ends when the client ends its input or disconnects; `signal` distinguishes the two. */
  stdin: Readable
  /** Applies backpressure of the client. Ending it sends nothing: the end is sent with the exit code. */
  stdout: Writable
  /** For short messages. Data after the first byte on `stdout` is not sent. */
  stderr: Writable
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

/** Writes one log message. */
export type SshLog = (level: 'debug' | 'warn' | 'error', message: string, detail: Record<string, unknown>) => void

/** The service behind an SSH server. */
export type SshService<Identity> = {
  /**
   * Finds the identity of a key; null for an unknown one. Also called for keys that are only offered, so it must not record a
   * use: the client is authenticated when `run` is called.
   */
  authenticate(key: OfferedKey): Promise<Identity | null>
  /** Runs a command. @returns its exit code; an exception is logged and gives exit code 1 */
  run(session: SshSession<Identity>): Promise<number>
}

export type SshServing<Identity> = SshService<Identity> & {
  /** Folder of the host keys; created at the first start. */
  hostKeyFolder: string
  clock: Clock
  log: SshLog
  limits?: Partial<SshLimits>
}
