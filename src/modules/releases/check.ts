import type { Database } from '../../infra/database/index.ts'
import type { RefSnapshot } from '../../infra/git/index.ts'
import { tagsWithReleases } from './store.ts'

/** Every release of a project has its tag. @returns what is wrong, one sentence each */
export async function releaseProblems(
  database: Database,
  project: { id: number },
  refs: RefSnapshot,
): Promise<string[]> {
  const tags = await tagsWithReleases(database.read, project.id)
  const missing = tags.filter((tag) => refs.tag(tag) === null)
  return missing.map((tag) => `project ${project.id}: the tag ${tag} of a release does not exist`)
}
