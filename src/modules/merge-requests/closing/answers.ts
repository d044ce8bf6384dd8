import { type Actor, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { referencesTo } from '../../issuables/index.ts'
import type { IssueRow } from '../../issues/index.ts'
import { may, type Project } from '../../projects/index.ts'
import { readableAmong } from '../conversation/answers.ts'
import { presentBasics } from '../core/present.ts'
import { mergeRequestsByIds } from '../core/store.ts'
import { type MergeRequestRow, mergeRequestStates } from '../tables.ts'
import * as store from './store.ts'

/** How many merge requests that the caller can read close each of these issues (contract 16, `merge_requests_count`). */
export async function closingCounts(platform: Platform, issueIds: readonly number[], actor: Actor) {
  const rows = await store.closersOf(platform.database.read, issueIds)
  const readable = new Set((await readableAmong(platform, actor, rows)).map(({ id }) => id))
  const counts = new Map<number, number>()
  for (const { id, issue_id } of rows) {
    if (readable.has(id)) counts.set(issue_id, (counts.get(issue_id) ?? 0) + 1)
  }
  return counts
}

async function pageOfReadable(platform: Platform, actor: Actor, rows: readonly MergeRequestRow[], page: PageRequest) {
  const readable = await readableAmong(
    platform,
    actor,
    rows.toSorted((left, right) => left.id - right.id),
  )
  const { items, ...rest } = pageOfList(readable, page)
  return { ...rest, items: await presentBasics(platform, items, { kind: 'project' }) }
}

/** The merge requests of the issue's project that close it on merge (contract 16, x.issue_closed_by). */
export async function closersOfIssue(platform: Platform, issue: IssueRow, actor: Actor, page: PageRequest) {
  const rows = await store.closersOf(platform.database.read, [issue.id])
  const own = rows.filter(({ project_id }) => project_id === issue.project_id)
  return pageOfReadable(platform, actor, own, page)
}

/** The merge requests that mention an issue (contract 16, x.issue_related_mrs). */
export async function relatedToIssue(platform: Platform, issue: IssueRow, actor: Actor, page: PageRequest) {
  const db = platform.database.read
  const ids = await referencesTo(db, { type: 'Issue', id: issue.id }, 'MergeRequest')
  return pageOfReadable(platform, actor, await mergeRequestsByIds(db, ids), page)
}

/** The merge requests that contain a commit (contract 22, x.commits_merge_requests). */
export async function requestsWithCommit(
  platform: Platform,
  project: Project,
  actor: Actor,
  { oid, state }: { oid: Oid; state?: string },
  page: PageRequest,
): Promise<Page<unknown>> {
  if (!may(actor, project, 'read_merge_requests')) return { items: [], total: 0, hasNext: false }
  const inState = mergeRequestStates.find((one) => one === state)
  const found = await store.pageOfIntroducers(
    platform.database.read,
    { projectId: project.id, oid, state: inState },
    page,
  )
  return { ...found, items: await presentBasics(platform, found.items, { kind: 'project' }) }
}

/** The merged requests that brought commits into a project, for changelogs (contract 22, x.repo_changelog_get). */
export async function introducedBy(platform: Platform, project: Project, actor: Actor, oids: readonly Oid[]) {
  if (!may(actor, project, 'read_merge_requests')) return new Map()
  const rows = await store.introducersOf(platform.database.read, project.id, oids)
  return new Map(
    rows.toReversed().map(({ iid, oid }) => [
      oid as Oid,
      {
        reference: `${project.full_path}!${iid}`,
        web_url: `${platform.externalUrl}/${project.full_path}/-/merge_requests/${iid}`,
      },
    ]),
  )
}

/** Which of these branches are the source or target of open merge requests (contract 01, 1.15). */
export function requestedBranches({ database }: Platform, projectId: number, names: readonly string[]) {
  return store.branchesInUse(database.read, projectId, names)
}
