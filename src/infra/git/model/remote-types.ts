/** Types of operations on remote repositories. */
import type { Oid, RefName } from './names.ts'

/** Options of remote operations. */
export type RemoteOptions = {
  timeoutMs: number
  /** `key=value`, for example `http.curloptResolve=example.org:443:192.0.2.1`. Passed in the environment, not visible in the process list. */
  config?: readonly string[]
  signal?: AbortSignal
  /** A command of the shell that takes the place of `ssh`. With it, SSH is the only protocol; the address has no port. */
  ssh?: string
}

/** A ref to be pushed: moved to `oid`, or deleted for the null id. */
export type PushedRef = {
  ref: RefName
  oid: Oid
  /**
   * The expected id on the remote, the null id for a ref that does not exist: the ref is forced from there, and only from there.
   * Without it, only a fast-forward is accepted.
   */
  expected?: Oid
}

/** A ref that did not move: not a fast-forward (`diverged`), or refused by the remote (`refused`). */
export type RefRejection = { ref: RefName; kind: 'diverged' | 'refused'; reason: string }

/** The outcome of a push to a remote. `messages` are the remote's lines, unchanged. */
export type PushOutcome = { rejected: readonly RefRejection[]; messages: readonly string[] }
