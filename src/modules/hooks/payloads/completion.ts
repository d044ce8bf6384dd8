import { type Commit, GitError, parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { Completion } from '../tables.ts'
import { commitPayload } from './commit.ts'
import { type Building, building, type NamedProject, namedProject } from './parts.ts'

/** A commit as jobs show it, beside what they say of the pipeline. */
function jobCommit({ oid, message, author }: Commit) {
  return { sha: oid, message, author_name: author.name, author_email: author.email }
}

function formOf(building: Building, project: NamedProject, form: Completion['form'], commit: Commit): object {
  return form === 'job' ? jobCommit(commit) : commitPayload(building, project, commit)
}

async function commitOf(platform: Platform, projectId: number, sha: string): Promise<Commit | null> {
  const row = await repositoryOfProject(platform.database.read, projectId)
  const oid = parseOid(sha)
  if (!row || !oid) return null
  const repository = await openRow(platform, row)
  return (await repository.commits([oid])).get(oid) ?? null
}

/** The member of a payload at a path, which is an object or is to be one. */
function put(payload: Record<string, unknown>, path: readonly string[], value: object): void {
  const [first = '', ...rest] = path
  const current = payload[first]
  const known = typeof current === 'object' && current !== null ? (current as Record<string, unknown>) : {}
  if (rest.length > 0) put(known, rest, value)
  payload[first] = rest.length > 0 ? known : { ...known, ...value }
}

/** Adds the commits that a payload shows; those that are gone by now stay as they are. */
export async function completed(
  platform: Platform,
  payload: string,
  completions: readonly Completion[],
): Promise<string> {
  const whole = JSON.parse(payload) as Record<string, unknown>
  const built = await building(platform, platform.database.read)
  for (const { path, projectId, sha, form } of completions) {
    const project = await namedProject(platform.database.read, projectId)
    const commit = await commitOf(platform, projectId, sha).catch((error: unknown) => {
      // The repository may be gone by now.
      if (error instanceof GitError) return null
      throw error
    })
    if (project && commit) put(whole, path, formOf(built, project, form, commit))
  }
  return JSON.stringify(whole).replaceAll('\\u0000', '\\ufffd')
}
