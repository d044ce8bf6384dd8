import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, type RepositoryRow, repositoryOfSnippet } from '../../../platform/repositories/index.ts'
import { type Project, refusesWrites } from '../../projects/index.ts'
import { mayPushTo, readableSnippet } from '../../snippets/index.ts'
import { snippetWords } from './refusals.ts'
import type { Target } from './target.ts'

/** `snippets/<id>` for a personal snippet, `<project>/snippets/<id>` for one of a project. */
const snippetPath = /^(?:(?<project>.+)\/)?snippets\/(?<id>\d{1,15})$/

/** The parts of a path that has the form of a snippet's path; null for others. */
export function parseSnippetPath(fullPath: string): { project: string | null; id: number } | null {
  const found = snippetPath.exec(fullPath)?.groups
  return found ? { project: found.project ?? null, id: Number(found.id) } : null
}

/** The repository of a snippet; null when there is none, also none on disk. */
async function rowOf(platform: Platform, id: number): Promise<RepositoryRow | null> {
  const row = await repositoryOfSnippet(platform.database.read, id)
  return row && (await (await openRow(platform, row)).exists()) ? row : null
}

/**
 * A snippet that the actor may read; null for others (contract 09, x.snippet_git_refs).
 * @param project the project in the path; null for a personal snippet
 */
export async function snippetTarget(
  platform: Platform,
  actor: Actor,
  { project, id }: { project: Project | null; id: number },
): Promise<Target | null> {
  const snippet = await readableSnippet(platform, { project }, actor, id)
  if (!snippet || snippet.project?.id !== project?.id) return null
  return {
    // Neither jobs nor deploy tokens nor deploy keys of the project reach its snippets.
    project: null,
    words: snippetWords,
    fullPath: `${project ? `${project.full_path}/` : ''}snippets/${id}`,
    moved: false,
    isSeen: true,
    mayRead: true,
    mayPush: mayPushTo(actor, snippet),
    refusesWrites: project !== null && refusesWrites(project),
    isOn: true,
    groupIds: async () => [],
    row: () => rowOf(platform, id),
  }
}
