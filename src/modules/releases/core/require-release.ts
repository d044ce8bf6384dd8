import { type Actor, forbidden, notFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { mayCreateTag } from '../../protected-tags/index.ts'
import type { ReleaseRow } from '../tables.ts'
import { releaseOnTag } from './store.ts'

/** Finds the release of a tag. @throws ApiError 404 */
export async function requireRelease({ database }: Platform, project: Project, tag: string): Promise<ReleaseRow> {
  const release = await releaseOnTag(database.read, project.id, tag)
  if (!release) throw notFound()
  return release
}

/** Finds the release of a tag to change it. @throws ApiError 403 when the tag is protected from the caller, 404 */
export async function requireChangeableRelease(platform: Platform, project: Project, actor: Actor, tag: string) {
  if (!(await mayCreateTag(platform, project, actor, tag))) throw forbidden()
  return requireRelease(platform, project, tag)
}
