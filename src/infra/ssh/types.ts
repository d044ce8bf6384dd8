/** The public types of `infra/ssh`. Mechanism only: nothing here knows of projects, users or the database. */
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../clock/index.ts'
import type { SshLimits } from './limits.ts'

/** A public key that a client names. Naming it proves nothing: keys are public. */
export type OfferedKey = {
  /** The type that the blob itself says, `ssh-ed25519`. */
  type: string
  /** The key as it stands in base64 in a `.pub` file. */
  blob: Buffer
}

/** A command on its way, of somebody who has proved to hold the private half of a key. */
export type SshSession<Identity> = {
  identity: Identity
  /** As the client sent it; empty when it asked for a shell. */
  command: string
  /** Value of the variable `GIT_PROTOCOL`, when the client set it. Printable ASCII. */
  gitProtocol: string | undefined
  /** Address of the client. */
  address: string
  /** Ends where the client ends its input, and also when it goes away: `signal` tells one from the other. */
  stdin: Readable
  /** Waits for the client, also for a slow one. Ending it sends nothing: the client hears the end with the exit code. */
  stdout: Writable
  /** For a few lines of explanation. What comes after the first byte on `stdout` is not sent. */
  stderr: Writable
  /** Aborts when the client goes away. */
  signal: AbortSignal
}

/** One line of the mechanism's log; the composition root binds it to the real logger. */
export type SshLog = (level: 'debug' | 'warn' | 'error', message: string, detail: Record<string, unknown>) => void

/** What an SSH server asks of those who know who may do what. */
export type SshService<Identity> = {
  /**
   * Who a key stands for; null for nobody. Asked for a key that is only named as well, so it must record nothing: whom it
   * names is somebody only once `run` is called with them.
   */
  authenticate(key: OfferedKey): Promise<Identity | null>
  /** Runs a command, and returns its exit code. What it throws is logged, and the client hears exit code 1. */
  run(session: SshSession<Identity>): Promise<number>
}

export type SshServing<Identity> = SshService<Identity> & {
  /** Folder of the host keys; made at the first start. */
  hostKeyFolder: string
  clock: Clock
  log: SshLog
  limits?: Partial<SshLimits>
}
