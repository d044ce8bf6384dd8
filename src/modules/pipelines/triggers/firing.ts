import {
  dayOf,
  failure,
  forbidden,
  header,
  invalid,
  isUploadedFile,
  notFound,
  type RequestInfo,
  type UserActor,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { visibleProject } from '../../projects/index.ts'
import { accountProblem } from '../../tokens/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { requireShortValues } from '../../variables/index.ts'
import { hasBuilds } from '../access.ts'
import { presentOne } from '../core/pipelines.ts'
import { createPipeline } from '../creation/create.ts'
import type { PipelineSource } from '../creation/new-pipeline.ts'
import { jobOfToken } from '../tokens/job-tokens.ts'
import type { Firing } from './params.ts'
import * as store from './store.ts'

/** Who a token lets run pipelines, and in which project. */
type Bearer = { actor: UserActor; projectId: number; source: PipelineSource; triggerId: number | null }

async function bearerOfTrigger(platform: Platform, token: string): Promise<Bearer | null> {
  const { database, clock, settings } = platform
  const trigger = await store.triggerByDigest(database.read, hashToken(token))
  if (!trigger || (trigger.expires_at !== null && trigger.expires_at <= now(clock))) return null
  const owner = await userById(database.read, trigger.owner_id)
  if (!owner || accountProblem({ ...owner, user_id: owner.id }, await settings.current())) return null
  return { actor: actingUser(platform, owner), projectId: trigger.project_id, source: 'trigger', triggerId: trigger.id }
}

async function bearerOfJob(platform: Platform, token: string): Promise<Bearer | null> {
  const found = await jobOfToken(platform, token)
  return found && { actor: found.actor, projectId: found.job.project_id, source: 'pipeline', triggerId: null }
}

/** The project that the request names, if the token is of it. @throws ApiError 404 */
async function requireProject(platform: Platform, { actor, projectId }: Bearer, named: string) {
  const { database, clock } = platform
  const project = await visibleProject(database.read, named, actor, dayOf(clock.now()))
  if (project?.id !== projectId) throw notFound()
  return project
}

const credentials: ReadonlySet<string> = new Set(['token', 'private_token', 'access_token', 'job_token'])

/** What was sent, without the parameters of the path, credentials and files, as JSON. */
function payloadOf({ raw, path }: RequestInfo): string {
  const sent = Object.entries(raw).filter(([name]) => !(name in path) && !credentials.has(name.toLowerCase()))
  return JSON.stringify(Object.fromEntries(sent), (_, value) => (isUploadedFile(value) ? undefined : value))
}

/** Webhooks about pipelines would start pipelines without end. */
function refusePipelineHooks(request: RequestInfo): void {
  const events = ['x-gitlab-event', 'x-service-event'].map((name) => header(request, name))
  if (events.includes('Pipeline Hook')) throw forbidden()
}

/**
 * Runs a pipeline as the owner of a trigger, or as the user of a running job (contract 04, x.trigger_fire). The request is
 * the file variable `TRIGGER_PAYLOAD`, which is not a variable that the user has set.
 * @throws ApiError 400; 403; 404 for a token that is not one of the project
 */
export async function fire(platform: Platform, given: Firing, request: RequestInfo) {
  refusePipelineHooks(request)
  const bearer = (await bearerOfTrigger(platform, given.token)) ?? (await bearerOfJob(platform, given.token))
  if (!bearer) throw notFound()
  const project = await requireProject(platform, bearer, given.id)
  if (!hasBuilds(project)) throw forbidden()
  const { ref, variables = {} } = given
  if (variables === 'invalid') throw failure(400, 'variables needs to be a map of key-valued strings')
  const own = Object.entries(variables).map(([key, value]) => ({ key, value }))
  requireShortValues(own)
  const payload = { key: 'TRIGGER_PAYLOAD', value: payloadOf(request), variable_type: 'file' } as const
  const { actor, source, triggerId } = bearer
  const created = await createPipeline(platform, {
    ...{ project, actor, ref, source, variables: [...own, payload] },
    hasCheckedVariables: own.length === 0,
  })
  if ('refused' in created) throw invalid({ base: created.refused })
  const { database, clock } = platform
  if (triggerId !== null) await database.write((tx) => store.noteUse(tx, triggerId, now(clock)))
  return presentOne(platform, project, created.pipeline)
}
