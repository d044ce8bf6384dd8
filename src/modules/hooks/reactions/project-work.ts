import { parseOid } from '../../../infra/git/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { openRow, repositoryById } from '../../../platform/repositories/index.ts'
import { flagById } from '../../feature-flags/index.ts'
import { milestonesByIds } from '../../milestones/index.ts'
import { ownJobsByIds, pipelineById } from '../../pipelines/index.ts'
import { releaseById } from '../../releases/index.ts'
import { tokensEndingOn } from '../../tokens/index.ts'
import { callsNone, fire, fireTo, receiversFor } from '../firing/fire.ts'
import { releaseCommitAt, releasePayload } from '../payloads/delivery.ts'
import { building, namedProject } from '../payloads/parts.ts'
import { jobCommitAt, jobPayloads, mostJobs, pipelineCommitAt, pipelinePayload } from '../payloads/pipeline.ts'
import { featureFlagPayload, milestonePayload, tokenPayload } from '../payloads/plans.ts'
import { wikiPayload } from '../payloads/wiki.ts'
import type { Completion } from '../tables.ts'

/** A pipeline has another status. */
export const hookPipelines: Reaction<Events['pipeline.changed']> = async (platform, tx, { pipelineId, projectId }) => {
  const completions: Completion[] = []
  await fire(
    platform,
    tx,
    { trigger: 'pipeline', projectId },
    {
      completions,
      async own() {
        const [row, project] = [await pipelineById(tx, pipelineId), await namedProject(tx, projectId)]
        if (!row || !project || row.source === 'external') return null
        completions.push(pipelineCommitAt(row))
        return pipelinePayload(await building(platform, tx), project, row)
      },
    },
  )
}

/** Jobs of a pipeline have another status: an event for each, whose hooks are found once. */
export const hookJobs: Reaction<Events['ci_jobs.changed']> = async (
  platform,
  tx,
  { pipelineId, projectId, jobIds },
) => {
  const called = await receiversFor(platform, tx, { trigger: 'job', projectId })
  if (callsNone(called)) return
  const [pipeline, project] = [await pipelineById(tx, pipelineId), await namedProject(tx, projectId)]
  if (!pipeline || !project) return
  const jobs = await ownJobsByIds(tx, jobIds, mostJobs)
  const payloads = await jobPayloads(await building(platform, tx), project, pipeline, jobs)
  const completions = [jobCommitAt(pipeline)]
  for (const payload of payloads) {
    const event = { trigger: 'job', projectId, payloads: { own: async () => payload, completions } } as const
    await fireTo(platform, tx, called, event)
  }
}

/** A feature flag was switched on or off. */
export const hookFeatureFlags: Reaction<Events['feature_flag.switched']> = (
  platform,
  tx,
  { flagId, projectId, userId },
) =>
  fire(
    platform,
    tx,
    { trigger: 'feature_flag', projectId },
    {
      async own() {
        const [row, project] = [await flagById(tx, flagId), await namedProject(tx, projectId)]
        return row && project ? featureFlagPayload(await building(platform, tx), project, row, userId) : null
      },
    },
  )

export const hookReleases: Reaction<Events['release.changed']> = async (
  platform,
  tx,
  { releaseId, projectId, action },
) => {
  const completions: Completion[] = []
  await fire(
    platform,
    tx,
    { trigger: 'release', projectId },
    {
      completions,
      async own() {
        const [row, project] = [await releaseById(tx, releaseId), await namedProject(tx, projectId)]
        if (!row || !project) return null
        completions.push(...releaseCommitAt(row))
        return releasePayload(await building(platform, tx), project, row, action)
      },
    },
  )
}

type OfMilestone = Omit<Events['milestone.changed'], 'action'> & { action?: Events['milestone.changed']['action'] }

/** A milestone was created, closed or opened again, or is about to be deleted. */
export const hookMilestones: Reaction<OfMilestone> = (
  platform,
  tx,
  { milestoneId, projectId, groupId, action = 'delete' as const },
) =>
  fire(
    platform,
    tx,
    { trigger: 'milestone', projectId: projectId ?? 0, namespaceId: groupId ?? 0 },
    {
      async own() {
        const row = (await milestonesByIds(tx, [milestoneId])).get(milestoneId)
        return row ? milestonePayload(await building(platform, tx), row, action) : null
      },
    },
  )

/** Reads the changed pages of a wiki, for which git is asked, and calls the hooks. */
export const wikiJob: Job<Events['wiki.changed']> = {
  kind: 'web_hooks.wiki',
  async run(platform, { projectId, repositoryId, userId, sha, pages }) {
    const { database } = platform
    const row = await repositoryById(database.read, repositoryId)
    const project = await namedProject(database.read, projectId)
    if (!row || !project) return
    const source = { repository: await openRow(platform, row), commit: sha === null ? null : parseOid(sha) }
    const built = await building(platform, database.read)
    for (const page of pages) {
      const payload = await wikiPayload(built, project, source, page, userId)
      await database.write((tx) =>
        fire(platform, tx, { trigger: 'wiki_page', projectId }, { own: async () => payload }),
      )
    }
  },
}

/** Pages of a wiki have changed; the jobs of one wiki run in order. */
export const hookWikis: Reaction<Events['wiki.changed']> = async (platform, tx, changed) => {
  const { projectId } = changed
  if (callsNone(await receiversFor(platform, tx, { trigger: 'wiki_page', projectId }))) return
  await enqueue(platform, tx, wikiJob, changed, { orderKey: `web_hooks.wiki:${changed.repositoryId}` })
}

const dayMs = 86_400_000
/** How many days before their end hooks are called for tokens of projects and groups. */
const warningDays = [60, 30, 7, 1]
const portion = 100

async function warnOf(platform: Platform, day: string): Promise<void> {
  const { database } = platform
  let afterId = 0
  for (;;) {
    const tokens = await tokensEndingOn(database.read, day, afterId, portion)
    for (const token of tokens) {
      const place = { projectId: token.project_id ?? 0, namespaceId: token.namespace_id ?? 0 }
      await database.write((tx) =>
        fire(
          platform,
          tx,
          { trigger: 'resource_access_token', ...place },
          {
            own: async () => tokenPayload(await building(platform, tx), token),
          },
        ),
      )
    }
    if (tokens.length < portion) return
    afterId = tokens.at(-1)?.id ?? 0
  }
}

/** Calls hooks for tokens of projects and groups that end soon. */
export const tokensJob: Job<null> = {
  kind: 'web_hooks.tokens',
  every: { seconds: 86_400, offsetSeconds: 7_200 },
  async run(platform) {
    const now = platform.clock.now().getTime()
    for (const days of warningDays) await warnOf(platform, new Date(now + days * dayMs).toISOString().slice(0, 10))
  },
}
