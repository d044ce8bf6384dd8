import { now, type Tx } from '../../../infra/database/index.ts'
import { hashToken, randomToken, SealError } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { lockFlags } from '../generation.ts'
import type { FlagClientRow } from '../tables.ts'
import { presentClient } from './present.ts'
import * as store from './store.ts'

/** A sealed instance id opens only for its project. */
const contextOf = (projectId: number) => `feature_flag_clients:${projectId}:instance_id`

/** A new instance id in the forms in which it is stored. */
async function makeInstanceId({ secrets }: Platform, projectId: number) {
  const text = randomToken('glffct-')
  const sealed = (await secrets.sealer()).seal(text, contextOf(projectId))
  return { text, stored: { instance_id_digest: hashToken(text), sealed_instance_id: sealed } }
}

async function openInstanceId({ secrets, log }: Platform, row: FlagClientRow): Promise<string | null> {
  try {
    return (await secrets.sealer()).open(row.sealed_instance_id, contextOf(row.project_id))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ projectId: row.project_id, err: error }, 'the instance id of feature flag clients cannot be opened')
    return null
  }
}

/** Gives a project a new instance id; its former one is worth nothing from then on. */
async function replaceInstanceId(platform: Platform, project: Project) {
  const made = await makeInstanceId(platform, project.id)
  const write = async (tx: Tx) => {
    await lockFlags(tx, project.id)
    const row = await store.clientOfProject(tx, project.id)
    if (row) return (await store.updateClient(tx, row.id, { ...made.stored, last_used_at: null })) ?? row
    return store.insertClient(tx, { project_id: project.id, ...made.stored, created_at: now(platform.clock) })
  }
  return presentClient(platform.externalUrl, await platform.database.write(write), made.text)
}

/**
 * The address and the instance id for clients of a project; made when they are asked for first, or when the key is lost under which
 * the instance id was sealed (contract 24, x.feature_flags_client_get).
 */
export async function getClient(platform: Platform, project: Project) {
  const known = await store.clientOfProject(platform.database.read, project.id)
  const instanceId = known && (await openInstanceId(platform, known))
  if (known && instanceId !== null) return presentClient(platform.externalUrl, known, instanceId)
  return known ? replaceInstanceId(platform, project) : makeClient(platform, project)
}

/** Of callers at the same time all get the instance id of the first. */
async function makeClient(platform: Platform, project: Project) {
  const made = await makeInstanceId(platform, project.id)
  const row = await platform.database.write(async (tx) => {
    await lockFlags(tx, project.id)
    const first = await store.clientOfProject(tx, project.id)
    const created = { project_id: project.id, ...made.stored, created_at: now(platform.clock) }
    return first ?? store.insertClient(tx, created)
  })
  return presentClient(platform.externalUrl, row, (await openInstanceId(platform, row)) ?? made.text)
}

/** Replaces the instance id (contract 24, x.feature_flags_client_reset). */
export const resetClient = replaceInstanceId
