import type { Actor, Page, PageRequest } from '../../api/index.ts'
import type { Predicate, Reader, Tx } from '../../infra/database/index.ts'
import type { ExportedLine, ImportedLine, Importing } from '../../platform/index.ts'
import type { ChangeOrigin, IssuableContext, SavedChange } from '../issuables/index.ts'
import type { Project } from '../projects/index.ts'
import type { PresentedEpic } from './present/schema.ts'
import type { IssueRow } from './tables.ts'

/** An epic that a request names: by its id, or by its iid in the group of the project. */
export type WantedEpic = { id: number } | { iid: number }

/** What follows up threads of a merge request: the issue's description, and what resolves them when the issue is stored. */
export type FollowUp = { description: string; resolve(tx: Tx, origin: ChangeOrigin): Promise<void> }

declare module '../../platform/platform.ts' {
  interface Events {
    /** An issue was closed. */
    'issue.closed': { issueId: number; userId: number }
    /** An issue was created or changed. After the other events of the change. */
    'issue.saved': { issueId: number; projectId: number; userId: number } & SavedChange<IssueRow>
    /** An issue is about to be deleted: its rows are still there. */
    'issue.removed': { issueId: number }
  }
  interface Questions {
    /** How many merge requests that the caller can read close each of these issues; issues without any may be absent. */
    'issues.closing_counts'(issueIds: readonly number[], actor: Actor): Promise<ReadonlyMap<number, number>>
    /** A page of the merge requests of the issue's project that close it on merge, and that the caller can read. */
    'issues.closed_by'(issue: IssueRow, actor: Actor, page: PageRequest): Promise<Page<unknown>>
    /** A page of the merge requests that mention an issue, and that the caller can read. */
    'issues.related_merge_requests'(issue: IssueRow, actor: Actor, page: PageRequest): Promise<Page<unknown>>
    /**
     * Threads of a merge request of the project that a new issue follows up: one, or all that are open. Null when there are
     * none that the caller can read. Only threads that the caller may resolve are resolved.
     */
    'issues.follow_up'(
      project: Project,
      wanted: { iid: number; discussionId: string | undefined },
      actor: Actor,
    ): Promise<FollowUp | null>
    /** The epics of these issues, as far as the caller can read them. */
    'issues.epics'(issueIds: readonly number[], actor: Actor): Promise<ReadonlyMap<number, PresentedEpic>>
    /** The epics of these issues as exports embed them, as far as the caller can read them. */
    'issues.exported_epics'(
      db: Reader,
      issueIds: readonly number[],
      actor: Actor,
    ): Promise<ReadonlyMap<number, ExportedLine>>
    /** Assigns an imported issue to the epic that its line embeds, where a group above its project has that one. */
    'issues.import_epic'(tx: Tx, into: Importing, issueId: number, line: ImportedLine): Promise<void>
    /** Issues that belong to an epic, or to any; null when none does. */
    'issues.in_epic'(context: IssuableContext, wanted: number | 'any'): Predicate | null
    /** Whether an issue is in a confidential epic. */
    'issues.in_confidential_epic'(tx: Tx, issueId: number): Promise<boolean>
    /** Makes an issue part of an epic, or of none. @returns whether it was changed; null when the caller cannot use the epic */
    'issues.set_epic'(
      tx: Tx,
      issue: IssueRow,
      wanted: WantedEpic | null,
      actor: Actor,
      origin: ChangeOrigin,
    ): Promise<boolean | null>
  }
}
