import type { Oid } from '../../infra/git/index.ts'
import type { Ports } from '../../platform/index.ts'
import { mayReadBuilds } from './access.ts'
import { presentBasicPipeline } from './present.ts'
import { newestPipelines } from './store.ts'

/** The newest pipeline of each commit; none for callers who may not read builds. */
export const pipelinesOfCommits: Ports['commits.pipelines'] = async (
  { database, externalUrl },
  project,
  actor,
  oids,
) => {
  if (!mayReadBuilds(actor, project)) return new Map()
  const rows = await newestPipelines(database.read, project.id, oids)
  return new Map(rows.map((row) => [row.sha as Oid, presentBasicPipeline(row, externalUrl)]))
}
