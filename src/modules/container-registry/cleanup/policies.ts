import { now, portions, type Tx } from '../../../infra/database/index.ts'
import { parseDuration } from '../../../infra/durations/index.ts'
import { PatternError } from '../../../infra/regex/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { requireWorker } from '../../features/index.ts'
import {
  type ContainerPolicy,
  claimPolicyRun,
  duePolicies,
  type ProjectRow,
  policiesAfter,
  projectById,
  recallPolicyRun,
  refusesWrites,
  settingOf,
  storePolicy,
} from '../../projects/index.ts'
import { noLevel, tagsProtectedFromDeletion } from '../tag-protection/rules.ts'
import { cleanRepository } from './cleanup.ts'
import { type CleanupRules, compileRules } from './selection.ts'
import { repositoriesToClean, startPolicyRun } from './store.ts'

const periodSeconds = 300
/** Policies that are claimed between two looks for due ones. */
const claimedAtOnce = 100
/** Repositories whose ids are read at once. */
const readAtOnce = 500

function rulesOf(policy: ContainerPolicy): CleanupRules {
  return {
    deletePattern: policy.name_regex,
    keepPattern: policy.name_regex_keep,
    keepCount: policy.keep_n ?? 0,
    olderThanSeconds: policy.older_than === null ? null : parseDuration(policy.older_than),
  }
}

/** The reason why rules cannot be used; null when they can. */
function problemOf(rules: CleanupRules): string | null {
  try {
    compileRules(rules)
    return null
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

/** Whether the images of a project must stay as they are: when it is archived or being deleted, or its registry is disabled. */
function keepsImages(project: ProjectRow): boolean {
  return refusesWrites(project) || settingOf(project, 'container_registry_access_level') === 'disabled'
}

/** Begins the due run of a project's policy. @returns whether it was due */
async function beginRun(platform: Platform, tx: Tx, projectId: number): Promise<boolean> {
  const moment = now(platform.clock)
  const claimed = await claimPolicyRun(tx, projectId, moment)
  if (!claimed) return false
  const { project, policy } = claimed
  const rules = rulesOf(policy)
  const problem = problemOf(rules)
  if (problem !== null) {
    await storePolicy(tx, project, { ...policy, enabled: false })
    platform.log.warn({ projectId, problem }, 'a cleanup policy was switched off because of its pattern')
  } else if (!keepsImages(project) && (await startPolicyRun(tx, projectId, moment))) {
    const orderKey = `container_registry.clean_project:${projectId}`
    await enqueue(platform, tx, cleanProjectJob, { projectId, startedAt: moment, rules }, { orderKey })
  }
  return true
}

/** The shortest time between two runs of a policy. */
const dayMs = 86_400_000

/** Puts back the next runs that a clock ahead has set. Those of policies with long periods are looked at as well. */
async function recallRuns({ database, clock }: Platform): Promise<void> {
  const after = new Date(clock.now().getTime() + dayMs).toISOString()
  const limit = claimedAtOnce
  for await (const projects of portions((afterId) => policiesAfter(database.read, { after, afterId, limit }))) {
    for (const { id } of projects) await database.write((tx) => recallPolicyRun(tx, id, now(clock)))
  }
}

/** Begins the runs of policies that are due, each once however many processes look for them (contract 02 R7). */
export const runPoliciesJob: Job<null> = {
  kind: 'container_registry.run_policies',
  every: { seconds: periodSeconds },
  recall: recallRuns,
  async run(platform, _, { signal }) {
    const { config, database, clock } = platform
    if (!config.registryEnabled) return
    for (let mayHaveMore = true; mayHaveMore; ) {
      mayHaveMore = false
      for (const id of await duePolicies(database.read, now(clock), claimedAtOnce)) {
        signal.throwIfAborted()
        if (await database.write((tx) => beginRun(platform, tx, id))) mayHaveMore = true
      }
    }
  },
}

type RunPayload = { projectId: number; startedAt: string; rules: CleanupRules }

/** Cleans the repositories of a project by its policy, those without a deletion and at the time of the run. */
export const cleanProjectJob: Job<RunPayload> = {
  kind: 'container_registry.clean_project',
  queue: 'removal',
  async run(platform, { projectId, startedAt, rules }, { signal }) {
    const { read } = platform.database
    await requireWorker(platform, 'container_registry_cleanup_worker', { projectId })
    for (let after = 0; ; ) {
      const project = await projectById(read, projectId)
      if (!project || project.pending_delete) return
      const ids = await repositoriesToClean(read, { projectId, startedAt, after, limit: readAtOnce })
      const isProtected = await tagsProtectedFromDeletion(read, projectId, noLevel)
      for (const repositoryId of ids) await cleanRepository(platform, { repositoryId, isProtected }, rules, signal)
      if (ids.length < readAtOnce) return
      after = ids.at(-1) ?? after
    }
  },
}
