/** What is said and heard when git talks to another server. */
import type { Oid, RefName } from './names.ts'
import type { RepositoryReading } from './reading-types.ts'

/** How another server is talked to. */
export type RemoteOptions = {
  timeoutMs: number
  /** `key=value`, for example `http.curloptResolve=example.org:443:192.0.2.1`. Handed over in the environment, not visible in the process list. */
  config?: readonly string[]
  signal?: AbortSignal
}

/** A ref that is to move elsewhere: to `oid`, or away when that is the zero id. */
export type PushedRef = {
  ref: RefName
  oid: Oid
  /**
   * Where it was seen there, the zero id for nowhere: it is moved from there by force, and from nowhere else. Without it the
   * ref moves only if nothing is lost.
   */
  expected?: Oid
}

/** A ref that did not move: it would have lost something (`diverged`), or the other side did not want it (`refused`). */
export type RefRejection = { ref: RefName; kind: 'diverged' | 'refused'; reason: string }

/** What became of a push to another server; `messages` are the lines that it sent, as it sent them. */
export type PushOutcome = { rejected: readonly RefRejection[]; messages: readonly string[] }

/** What a repository does with others, at `http`, `https` or `git` addresses. Never asks for a password, follows no redirect. */
export type RepositoryWithOthers = RepositoryReading & {
  /** The branches and tags there. Names that are not legal here are left out. */
  remoteRefs(url: string, options: RemoteOptions): Promise<Map<RefName, Oid>>
  /** The branch that HEAD points at there; null when the other side does not say. */
  remoteHead(url: string, options: RemoteOptions): Promise<RefName | null>
  /**
   * Brings the objects with these ids, tips of refs there, and all that they reach. Writes no ref.
   * @param options.maxBytes more than is taken; GitError `too_large` then
   */
  fetchObjectsFromRemote(
    url: string,
    oids: readonly Oid[],
    options: RemoteOptions & { maxBytes?: number },
  ): Promise<void>
  /** Moves refs there. Refs that are refused are told. */
  pushTo(url: string, refs: readonly PushedRef[], options: RemoteOptions): Promise<PushOutcome>
}
