import { parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, usersByIds } from '../../users/index.ts'
import { pipelineStatus } from '../processing/pipeline-status.ts'
import type { PipelineRow } from '../tables.ts'
import type { ListedDetails } from './present.ts'
import * as store from './store.ts'

/** The stages of pipelines in their order, with the status of each. */
async function stagesOf({ database }: Platform, ids: readonly number[]) {
  const states = await store.stageStatesOf(database.read, ids)
  const ofPipelines = Map.groupBy(states, ({ pipeline_id }) => pipeline_id)
  return (id: number) => {
    const stages = Map.groupBy(ofPipelines.get(id) ?? [], ({ stage }) => stage)
    return [...stages].map(([name, parts]) => ({ name, status: pipelineStatus(parts) }))
  }
}

/** The titles of the commits of pipelines. */
async function titlesOf(platform: Platform, project: Project, rows: readonly PipelineRow[]) {
  const oids = [...new Set(rows.map(({ sha }) => sha))].flatMap((sha) => parseOid(sha) ?? [])
  const { repository } = await openRepository(platform, project)
  const commits = await repository.commits(oids)
  return (sha: string) => {
    const oid = parseOid(sha)
    return oid ? (commits.get(oid)?.title ?? null) : null
  }
}

/** What a list of pipelines shows besides (contract 04, x.pipelines_list, `with_details`), with a fixed number of queries. */
export async function detailsOf(
  platform: Platform,
  project: Project,
  rows: readonly PipelineRow[],
): Promise<(row: PipelineRow) => ListedDetails> {
  if (rows.length === 0) return () => ({ stages: [], commit_title: null, user: null })
  const ids = rows.map(({ id }) => id)
  const [stages, titles, users, presenting] = await Promise.all([
    stagesOf(platform, ids),
    titlesOf(platform, project, rows),
    usersByIds(
      platform.database.read,
      rows.flatMap(({ user_id }) => user_id ?? []),
    ),
    presentingUsers(platform),
  ])
  return ({ id, sha, user_id }) => {
    const user = users.get(user_id ?? 0)
    return {
      stages: stages(id),
      commit_title: titles(sha),
      user: user ? presentUserBasic(user, presenting) : null,
    }
  }
}
