import type { Actor, UserActor } from '../../../api/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { accountProblem, actorOf } from '../../tokens/index.ts'
import { userById } from '../../users/index.ts'
import { jobById, jobByTokenDigest } from '../processing/store/states.ts'
import type { CiJobRow, CiState } from '../tables.ts'

/** The states of a job in which its token is valid (contract 04, Job payload). */
const validStates: readonly CiState[] = ['pending', 'running', 'canceling']

/** A job whose token is valid, with its user as the caller. */
type RunningJob = { job: CiJobRow; actor: UserActor }

/** The user of a job, with the credential of the job; null when the token is not valid in the job's state. */
async function running(platform: Platform, job: CiJobRow | null): Promise<RunningJob | null> {
  if (!job || job.external || job.token_digest === null || job.user_id === null) return null
  if (!validStates.includes(job.status)) return null
  const [user, settings] = await Promise.all([
    userById(platform.database.read, job.user_id),
    platform.settings.current(),
  ])
  if (!user) return null
  const account = { ...user, user_id: user.id }
  if (accountProblem(account, settings)) return null
  const credential = { kind: 'job', id: job.id, scopes: ['api'], projectId: job.project_id } as const
  return { job, actor: actorOf(platform, account, credential, settings) }
}

/**
 * The job of a token while it is pending, running or being canceled, and its user may use the account (contract 00,
 * JOB-TOKEN).
 * @returns null for every other text
 */
export async function jobOfToken(platform: Platform, token: string): Promise<RunningJob | null> {
  return running(platform, await jobByTokenDigest(platform.database.read, hashToken(token)))
}

async function jobOf(platform: Platform, named: { token: string } | { id: number }): Promise<RunningJob | null> {
  if ('token' in named) return jobOfToken(platform, named.token)
  return running(platform, await jobById(platform.database.read, named.id))
}

/** Answers `tokens.job`. */
export const callerOfJob: Ports['tokens.job'] = async (platform, named) => (await jobOf(platform, named))?.actor ?? null

/** The job whose token the caller of a request has sent; null for other credentials (contract 04, x.job_current). */
export async function jobOfCaller({ database }: Platform, actor: Actor): Promise<CiJobRow | null> {
  if (actor.kind !== 'user' || actor.credential.kind !== 'job' || actor.credential.id === null) return null
  return jobById(database.read, actor.credential.id)
}

/** Answers `container_registry.job`. The allowlists of projects do not count for images: no other project admits a job (contract 24). */
export const registryJobOfToken: Ports['container_registry.job'] = async (platform, named) => {
  const found = await jobOf(platform, named)
  if (!found) return null
  // Without the project, as the registry decides itself what a job may do in other projects.
  const { projectId: _, ...credential } = found.actor.credential
  const user = { ...found.actor, credential }
  return { id: found.job.id, user, projectId: found.job.project_id, admittedTo: async () => new Set<number>() }
}
