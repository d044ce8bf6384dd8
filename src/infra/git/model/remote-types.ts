/** Types of operations on remote repositories. */
import type { Oid, RefName } from './names.ts'
import type { RepositoryReading } from './reading-types.ts'

/** Options of remote operations. */
export type RemoteOptions = {
  timeoutMs: number
  /** `key=value`, for example `http.curloptResolve=example.org:443:192.0.2.1`. Passed in the environment, not visible in the process list. */
  config?: readonly string[]
  signal?: AbortSignal
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

/** Operations on remote repositories at `http`, `https` or `git` addresses. They do not prompt for passwords or follow redirects. */
export type RepositoryWithOthers = RepositoryReading & {
  /** Lists branches and tags of the remote, without illegal names. */
  remoteRefs(url: string, options: RemoteOptions): Promise<Map<RefName, Oid>>
  /** The target of the remote's HEAD; null when the remote does not report it. */
  remoteHead(url: string, options: RemoteOptions): Promise<RefName | null>
  /**
   * Fetches objects that are tips of refs on the remote, and all that they reach. Writes no ref.
   * @param options.maxBytes limit for the received data; above it, GitError `too_large` is thrown
   */
  fetchObjectsFromRemote(
    url: string,
    oids: readonly Oid[],
    options: RemoteOptions & { maxBytes?: number },
  ): Promise<void>
  /** Pushes refs. The outcome lists refused refs. */
  pushTo(url: string, refs: readonly PushedRef[], options: RemoteOptions): Promise<PushOutcome>
}
