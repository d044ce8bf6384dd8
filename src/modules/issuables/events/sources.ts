import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { answersOf } from '../answers.ts'
import type { Issuable } from '../issuable.ts'
import { projectsWithCode } from '../references/read.ts'
import { projectsOfCommits } from '../references/store.ts'
import type { EventRow } from '../tables.ts'

type StateEvent = EventRow<'resource_state_events'>

/** The ids of the merge requests that closed something, as far as the caller may read them. */
async function readableRequests(platform: Platform, actor: Actor, rows: readonly StateEvent[]) {
  const ids = [...new Set(rows.flatMap(({ source_merge_request_id: id }) => id ?? []))]
  if (ids.length === 0) return new Set<number>()
  return (await answersOf(platform, 'MergeRequest')?.readable(platform, actor, ids)) ?? new Set<number>()
}

/** The commits that closed something, as far as the caller may read the code of their project. */
async function readableCommits(platform: Platform, issuable: Issuable, actor: Actor, rows: readonly StateEvent[]) {
  const shas = [...new Set(rows.flatMap(({ source_commit: sha }) => sha ?? []))]
  if (shas.length === 0) return new Set<string>()
  const projects = await projectsOfCommits(platform.database.read, issuable, shas)
  // A closing commit of the issue's own project, unless a reference says otherwise.
  const projectOf = (sha: string) => projects.get(sha) ?? issuable.projectId ?? 0
  const readable = await projectsWithCode(platform, actor, [...new Set(shas.map(projectOf))])
  return new Set(shas.filter((sha) => readable.has(projectOf(sha))))
}

/** Events of states, which name the merge request or the commit that closed only where the caller may read it (contract 18). */
export async function withReadableSources(
  platform: Platform,
  { issuable, actor }: { issuable: Issuable; actor: Actor },
  rows: readonly StateEvent[],
): Promise<StateEvent[]> {
  const [requests, commits] = await Promise.all([
    readableRequests(platform, actor, rows),
    readableCommits(platform, issuable, actor, rows),
  ])
  return rows.map((row) => ({
    ...row,
    source_merge_request_id: requests.has(row.source_merge_request_id ?? 0) ? row.source_merge_request_id : null,
    source_commit: commits.has(row.source_commit ?? '') ? row.source_commit : null,
  }))
}
