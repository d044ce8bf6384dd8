import { type Actor, anything, type Page, type PageRequest, pageOfList, type TSchema } from '../../api/index.ts'
import type { Oid } from '../../infra/git/index.ts'
import type { Project } from '../projects/index.ts'

/** What whoever keeps merge requests tells of those that brought commits. */
export type CommitMergeRequests = {
  /** Schema of one. */
  schema: TSchema
  /**
   * The merge requests that have one of these commits, as the actor sees them.
   * @param options.state only those in this state
   */
  mergeRequestsOf(
    project: Project,
    oids: readonly Oid[],
    options: { actor: Actor; page: PageRequest; state?: string },
  ): Promise<Page<unknown>>
}

/** Where nobody keeps merge requests, no commit came by one. */
export const withoutMergeRequests: CommitMergeRequests = {
  schema: anything,
  mergeRequestsOf: async (_project, _oids, { page }) => pageOfList([], page),
}
