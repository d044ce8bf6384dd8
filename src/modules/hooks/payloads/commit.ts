import type { Commit, Repository } from '../../../infra/git/index.ts'
import { type Building, type NamedProject, toTheSecond, webUrl } from './parts.ts'

/** A commit as a member of a payload (contract 21 R7). */
export function commitPayload(building: Building, project: NamedProject, commit: Commit) {
  const { oid, message, title, author, committer } = commit
  return {
    id: oid,
    message,
    title,
    timestamp: toTheSecond(committer.date).replace('Z', '+00:00'),
    url: `${webUrl(building, project)}/-/commit/${oid}`,
    author: { name: author.name, email: author.email },
  }
}

/** Paths of one commit that are listed. */
const mostPaths = 1_000

/** The same with the paths that it changes, compared with its first parent. */
export async function commitWithPaths(
  building: Building,
  project: NamedProject,
  repository: Repository,
  commit: Commit,
) {
  const paths = { added: [] as string[], modified: [] as string[], removed: [] as string[] }
  const names = { added: 'added', modified: 'modified', deleted: 'removed' } as const
  let count = 0
  for await (const { status, path } of repository.changedPaths(commit.parentOids[0] ?? null, commit.oid)) {
    paths[names[status]].push(path)
    count += 1
    if (count === mostPaths) break
  }
  return { ...commitPayload(building, project, commit), ...paths }
}
