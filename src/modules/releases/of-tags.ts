import type { Actor } from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { Project } from '../projects/index.ts'
import type { ReleaseOfTag } from '../tags/index.ts'
import { seesReleases } from './access.ts'
import { releasesOnTags } from './store.ts'

/** What tags show of the releases on them: asked once for a whole page; nothing where the actor sees no releases. */
export function releasesOfTags({ database }: { database: Database }) {
  return async (project: Project, actor: Actor, names: readonly string[]): Promise<Map<string, ReleaseOfTag>> => {
    const rows = seesReleases(actor, project) ? await releasesOnTags(database.read, project.id, names) : []
    return new Map(rows.map(({ tag, description }) => [tag, { tag_name: tag, description }]))
  }
}
