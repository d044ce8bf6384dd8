import type { Actor } from '../../../api/index.ts'

/** The caller who moves a ref, as rules and records see it. */
export type RefWriter = {
  /** The user. For a deploy key, its creator; null when that account was deleted. */
  userId: number | null
  /** The interface that was used. Some rules apply to git only. */
  via: 'git' | 'api'
  /** Set for a push with a deploy key. The rights of its owner do not count then (contract 01). */
  deployKeyId?: number
  /** Whether the request has administrator rights. Default: whether the account has them. */
  administrator?: boolean
  /** Set for the merge of a merge request: the merge list of the branch counts, and code owners have approved. */
  merging?: { mergeRequestId: number; mergeCommit: string | null; squashCommit: string | null }
  /** Set for the first commit that the platform creates for a user. Push rules do not apply to it. */
  isBeginning?: true
  pushOptions?: readonly string[]
}

/** The writer for a call of the API. */
export function writerOf(actor: Actor): RefWriter {
  return actor.kind === 'user'
    ? { userId: actor.userId, via: 'api', administrator: actor.administrator }
    : { userId: null, via: 'api' }
}
