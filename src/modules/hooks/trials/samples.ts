import { branchRef, type RefChange, zeroOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { building, namedProject } from '../payloads/parts.ts'
import { type PushedProject, pushPayload } from '../payloads/push.ts'
import type { EventColumn } from '../tables.ts'
import type { TriggerName } from '../triggers.ts'
import { nothingToSend } from './refusals.ts'
import { recentProjectWith } from './store.ts'

/** Where a test takes its data from, and who asks for it. */
export type Trial = { platform: Platform; place: { kind: 'project' | 'group'; id: number }; userId: number | null }

/** A payload from real data. @throws ApiError 422 without any */
export type Sample = { trigger: TriggerName; build(trial: Trial): Promise<object> }

async function projectWithCommits({ platform, place }: Trial): Promise<PushedProject> {
  const { database } = platform
  const projectId = await recentProjectWith(database.read, place, 'commits')
  const project = projectId === null ? null : await namedProject(database.read, projectId)
  const opened = project && (await openRepository(platform, project.row))
  if (!project || !opened || opened.snapshot.branches.length === 0) {
    const whose = place.kind === 'project' ? 'project has at least one commit' : 'group has a project with commits'
    throw nothingToSend(`Ensure the ${whose}.`)
  }
  return { project, repository: opened.repository, snapshot: opened.snapshot }
}

/** The last commit of the default branch, as if it had just been pushed. */
async function samplePush(trial: Trial): Promise<object> {
  const pushed = await projectWithCommits(trial)
  const { snapshot, repository } = pushed
  const branch = snapshot.branch(pushed.project.row.default_branch ?? '') ?? snapshot.branches[0]
  const [commit] = branch ? (await repository.commits([branch.oid])).values() : []
  if (!branch || !commit) throw nothingToSend('Ensure the project has at least one commit.')
  const ref = branchRef(branch.name)
  if (!ref) throw nothingToSend('Ensure the project has at least one commit.')
  const format = branch.oid.length === 40 ? 'sha1' : 'sha256'
  const change: RefChange = { ref, old: commit.parentOids[0] ?? zeroOid(format), new: branch.oid }
  const push = { user_id: trial.userId, push_options: [] }
  return pushPayload(await building(trial.platform, trial.platform.database.read), pushed, push, change)
}

/** The same for a tag of its name. */
async function sampleTagPush(trial: Trial): Promise<object> {
  const payload = (await samplePush(trial)) as { ref: string }
  const kind = { object_kind: 'tag_push', event_name: 'tag_push' }
  return { ...payload, ...kind, ref: payload.ref.replace('refs/heads/', 'refs/tags/') }
}

const without = (trigger: TriggerName, sentence: string): Sample => ({
  trigger,
  build: () => Promise.reject(nothingToSend(sentence)),
})

/** Without data to send. */
export const unavailable = without('system', 'Ensure the project has data of this kind.')

/** What a test of each kind of event sends. */
export const samples: Partial<Record<EventColumn, Sample>> = {
  push_events: { trigger: 'push', build: samplePush },
  tag_push_events: { trigger: 'tag_push', build: sampleTagPush },
  // The instance has none of these yet.
  deployment_events: without('system', 'Ensure the project has deployments.'),
  feature_flag_events: without('system', 'Ensure the project has feature flags.'),
  vulnerability_events: without('system', 'Ensure the project has vulnerabilities.'),
}
