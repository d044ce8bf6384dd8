import type { Actor } from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { Oid } from '../../infra/git/index.ts'
import type { Project } from '../projects/index.ts'
import { mayReadBuilds } from './access.ts'
import { presentBasicPipeline } from './present.ts'
import { newestPipelines } from './store.ts'

export type PipelineFact = ReturnType<typeof presentBasicPipeline>

/**
 * Tells of the newest pipeline of each of some commits of a project, in one query; commits without one are left out. Whoever may
 * not read builds hears of none.
 */
export function createPipelineFacts({ database, externalUrl }: { database: Database; externalUrl: string }) {
  return async (project: Project, actor: Actor, oids: readonly Oid[]): Promise<Map<Oid, PipelineFact>> => {
    if (!mayReadBuilds(actor, project)) return new Map()
    const rows = await newestPipelines(database.read, project.id, oids)
    return new Map(rows.map((row) => [row.sha as Oid, presentBasicPipeline(row, externalUrl)]))
  }
}
