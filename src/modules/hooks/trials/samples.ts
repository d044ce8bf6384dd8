import { type ApiError, failure } from '../../../api/index.ts'
import { branchRef, type RefChange, zeroOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { membersByIds } from '../../access/index.ts'
import { deploymentById, environmentById } from '../../environments/index.ts'
import { flagById } from '../../feature-flags/index.ts'
import { unplanned } from '../../issuables/index.ts'
import { issuesByIds } from '../../issues/index.ts'
import { mergeRequestById } from '../../merge-requests/index.ts'
import { milestonesByIds } from '../../milestones/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { awardById, noteById } from '../../notes/index.ts'
import { ownJobsByIds, pipelineById } from '../../pipelines/index.ts'
import { projectById } from '../../projects/index.ts'
import { releaseById } from '../../releases/index.ts'
import { firstPage } from '../../wikis/index.ts'
import { completed } from '../payloads/completion.ts'
import { deploymentPayload, releaseCommitAt, releasePayload } from '../payloads/delivery.ts'
import { emojiPayload } from '../payloads/emoji.ts'
import { memberEvent, projectEvent, subgroupEvent } from '../payloads/instance.ts'
import { issuePayload } from '../payloads/issue.ts'
import { lastCommitAt, mergeRequestPayload } from '../payloads/merge-request.ts'
import { notePayload, targetOf } from '../payloads/note.ts'
import { type Building, building, type NamedProject, namedProject } from '../payloads/parts.ts'
import { jobCommitAt, jobPayloads, pipelineCommitAt, pipelinePayload } from '../payloads/pipeline.ts'
import { featureFlagPayload, milestonePayload, tokenPayload } from '../payloads/plans.ts'
import { type PushedProject, pushPayload, repositoryUpdatePayload } from '../payloads/push.ts'
import { wikiPayload } from '../payloads/wiki.ts'
import type { Completion, EventColumn } from '../tables.ts'
import type { TriggerName } from '../triggers.ts'
import { latestIssue, latestMember, latestNote, latestOf, latestSubgroup, type Owner, recentProject } from './store.ts'

/** Where a test takes its data from, and who asks for it. */
export type Trial = { platform: Platform; owner: Owner; userId: number | null }

/** A payload from real data. @throws ApiError 422 without any */
export type Sample = { trigger: TriggerName; build(trial: Trial): Promise<object> }

type Built = { payload: object | null | undefined; completions?: readonly Completion[] }

/** 422: there is nothing of which a test could tell. */
const nothingToSend = (sentence: string): ApiError => failure(422, sentence)

/** A sample of something in a project; `has` ends the sentence for a project or group without it. */
function sample(
  trigger: TriggerName,
  has: string,
  find: (trial: Trial, built: Building) => Promise<Built | null>,
): Sample {
  return {
    trigger,
    async build(trial) {
      const { platform, owner } = trial
      const found = await find(trial, await building(platform, platform.database.read))
      if (!found?.payload) throw nothingToSend(`Ensure the ${owner.kind} has ${has}.`)
      if (!found.completions?.length) return found.payload
      return JSON.parse(await completed(platform, JSON.stringify(found.payload), found.completions)) as object
    },
  }
}

type Latest = { id: number; project: NamedProject }

/** The same for the latest row of a table. */
function latest(
  trigger: TriggerName,
  has: string,
  find: (trial: Trial) => Promise<{ id: number; project_id: number } | null>,
  present: (built: Building, found: Latest, trial: Trial) => Promise<Built | null>,
): Sample {
  return sample(trigger, has, async (trial, built) => {
    const row = await find(trial)
    const project = row && (await namedProject(built.db, row.project_id))
    return row && project && present(built, { id: row.id, project }, trial)
  })
}

const from =
  (table: Parameters<typeof latestOf>[1]) =>
  ({ platform, owner }: Trial) =>
    latestOf(platform.database.read, table, owner)

async function projectWithCommits({ platform, owner }: Trial): Promise<PushedProject> {
  const { database } = platform
  const projectId = await recentProject(database.read, owner)
  const project = projectId === null ? null : await namedProject(database.read, projectId)
  const opened = project && (await openRepository(platform, project.row))
  if (!project || !opened || opened.snapshot.branches.length === 0) {
    const whose = owner.kind === 'project' ? 'project has at least one commit' : 'group has a project with commits'
    throw nothingToSend(`Ensure the ${whose}.`)
  }
  return { project, repository: opened.repository, snapshot: opened.snapshot }
}

/** The last commit of the default branch, as if it had just been pushed. */
async function lastPush(trial: Trial) {
  const pushed = await projectWithCommits(trial)
  const { snapshot, repository, project } = pushed
  const branch = snapshot.branch(project.row.default_branch ?? '') ?? snapshot.branches[0]
  const [commit] = branch ? (await repository.commits([branch.oid])).values() : []
  const ref = branch && branchRef(branch.name)
  if (!branch || !commit || !ref) throw nothingToSend('Ensure the project has at least one commit.')
  const format = branch.oid.length === 40 ? 'sha1' : 'sha256'
  const change: RefChange = { ref, old: commit.parentOids[0] ?? zeroOid(format), new: branch.oid }
  const built = await building(trial.platform, trial.platform.database.read)
  return { built, pushed, change, push: { user_id: trial.userId, push_options: [] } }
}

async function samplePush(trial: Trial): Promise<object> {
  const { built, pushed, change, push } = await lastPush(trial)
  return pushPayload(built, pushed, push, change)
}

/** The same for a tag of its name. */
async function sampleTagPush(trial: Trial): Promise<object> {
  const payload = (await samplePush(trial)) as { ref: string }
  const kind = { object_kind: 'tag_push', event_name: 'tag_push' }
  return { ...payload, ...kind, ref: payload.ref.replace('refs/heads/', 'refs/tags/') }
}

async function sampleUpdate(trial: Trial): Promise<object> {
  const { built, pushed, change, push } = await lastPush(trial)
  return repositoryUpdatePayload(built, pushed, push, [change])
}

const issues = (trigger: 'issue' | 'confidential_issue') =>
  latest(
    trigger,
    'issues',
    ({ platform, owner }) => latestIssue(platform.database.read, owner, trigger !== 'issue'),
    async (built, { id, project }, { userId }) => {
      const [row] = await issuesByIds(built.db, [id])
      if (!row) return null
      const saved = { row, action: 'update', former: {}, planned: unplanned, userId: userId ?? row.author_id } as const
      return { payload: await issuePayload(built, project, saved) }
    },
  )

const notes = (trigger: 'note' | 'confidential_note') =>
  latest(
    trigger,
    'notes',
    ({ platform, owner }) => latestNote(platform.database.read, owner, trigger !== 'note'),
    async (built, { id, project }) => {
      const note = await noteById(built.db, id)
      const target = note && (await targetOf(built, project, note))
      if (!note || !target) return null
      return { payload: await notePayload(built, project, note, target, 'create'), completions: target.completions }
    },
  )

/** Data of this kind do not exist in the server. */
const without = (has: string): Sample => sample('system', has, async () => null)

const inGroup = (
  trigger: TriggerName,
  has: string,
  find: (built: Building, groupId: number) => Promise<object | null>,
) => sample(trigger, has, async ({ owner }, built) => ({ payload: await find(built, owner.id) }))

/** What a test of each kind of event sends (contract 21, x.project_hooks_test). */
export const samples: Record<EventColumn, Sample> = {
  push_events: { trigger: 'push', build: samplePush },
  tag_push_events: { trigger: 'tag_push', build: sampleTagPush },
  repository_update_events: { trigger: 'repository_update', build: sampleUpdate },
  issues_events: issues('issue'),
  confidential_issues_events: issues('confidential_issue'),
  note_events: notes('note'),
  confidential_note_events: notes('confidential_note'),
  merge_requests_events: latest(
    'merge_request',
    'merge requests',
    from('merge_requests'),
    async (built, found, trial) => {
      const row = await mergeRequestById(built.db, found.id)
      if (!row) return null
      const saved = { row, action: 'update', userId: trial.userId } as const
      const completions = [lastCommitAt(['object_attributes', 'last_commit'], row)]
      return { payload: await mergeRequestPayload(built, found.project, saved), completions }
    },
  ),
  job_events: latest('job', 'CI jobs', from('ci_jobs'), async (built, { id, project }) => {
    const jobs = await ownJobsByIds(built.db, [id], 1)
    const pipeline = jobs[0] ? await pipelineById(built.db, jobs[0].pipeline_id) : null
    if (!pipeline) return null
    return { payload: (await jobPayloads(built, project, pipeline, jobs))[0], completions: [jobCommitAt(pipeline)] }
  }),
  pipeline_events: latest('pipeline', 'CI pipelines', from('pipelines'), async (built, { id, project }) => {
    const row = await pipelineById(built.db, id)
    return row && { payload: await pipelinePayload(built, project, row), completions: [pipelineCommitAt(row)] }
  }),
  wiki_page_events: sample('wiki_page', 'wiki pages', async ({ platform, owner, userId }, built) => {
    const projectId = await recentProject(built.db, owner, 'wiki')
    const project = projectId === null ? null : await namedProject(built.db, projectId)
    const page = project && (await firstPage(platform, project.row))
    if (!project || !page) return null
    const change = { action: 'created', slug: page.slug } as const
    return { payload: await wikiPayload(built, project, page.source, change, userId) }
  }),
  releases_events: latest('release', 'releases', from('releases'), async (built, { id, project }) => {
    const row = await releaseById(built.db, id)
    return row && { payload: await releasePayload(built, project, row, 'create'), completions: releaseCommitAt(row) }
  }),
  milestone_events: latest('milestone', 'milestones', from('milestones'), async (built, { id }) => {
    const row = (await milestonesByIds(built.db, [id])).get(id) ?? null
    return { payload: row && (await milestonePayload(built, row, 'create')) }
  }),
  emoji_events: latest('emoji', 'emoji', from('award_emoji'), async (built, { id, project }) => {
    const award = await awardById(built.db, id)
    return award && emojiPayload(built, project, award, 'award')
  }),
  // Tokens end rarely, so the data are made up, as clients expect.
  resource_access_token_events: sample(
    'resource_access_token',
    'tokens',
    async ({ platform, owner, userId }, built) => {
      const created_at = platform.clock.now().toISOString()
      const expires_at = new Date(platform.clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10)
      const of =
        owner.kind === 'project'
          ? { project_id: owner.id, namespace_id: null }
          : { project_id: null, namespace_id: owner.id }
      const token = { id: 1, name: 'test token', user_id: userId ?? 0, ...of, created_at, expires_at }
      return { payload: await tokenPayload(built, token) }
    },
  ),
  deployment_events: latest('deployment', 'deployments', from('deployments'), async (built, { id, project }) => {
    const row = await deploymentById(built.db, id)
    const environment = row && (await environmentById(built.db, row.environment_id))
    return environment && { payload: await deploymentPayload(built, project, row, environment) }
  }),
  feature_flag_events: latest(
    'feature_flag',
    'feature flags',
    from('feature_flags'),
    async (built, { id, project }, trial) => {
      const row = await flagById(built.db, id)
      return { payload: row && (await featureFlagPayload(built, project, row, trial.userId)) }
    },
  ),
  vulnerability_events: without('vulnerabilities'),
  member_events: inGroup('member', 'members', async ({ db }, groupId) => {
    const id = await latestMember(db, groupId)
    const [member] = id === null ? [] : await membersByIds(db, [id])
    return member ? memberEvent(db, member, { project: 'user_add_to_team', group: 'user_add_to_group' }) : null
  }),
  subgroup_events: inGroup('subgroup', 'subgroups', async ({ db }, groupId) => {
    const row = await namespaceById(db, await latestSubgroup(db, groupId))
    return row && subgroupEvent(db, row, 'subgroup_create')
  }),
  project_events: sample('project', 'a project', async ({ owner }, { db }) => {
    const id = await recentProject(db, owner)
    const row = id === null ? null : await projectById(db, id)
    return { payload: row && (await projectEvent(db, row, 'project_create')) }
  }),
}
