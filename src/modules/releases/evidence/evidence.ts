import { createHash } from 'node:crypto'
import { now } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import type { MilestoneRow } from '../../milestones/index.ts'
import { type Project, type ProjectRow, projectById } from '../../projects/index.ts'
import { requireRelease } from '../core/require-release.ts'
import { releaseById } from '../core/store.ts'
import { linksOf } from '../links/store.ts'
import { milestonesOf } from '../milestones/store.ts'
import type { LinkRow, ReleaseRow } from '../tables.ts'
import { insertEvidence } from './store.ts'

/** The summary of a release as JSON, with a fixed order of members. */
function summaryOf(
  release: ReleaseRow,
  project: ProjectRow,
  links: readonly LinkRow[],
  milestones: readonly MilestoneRow[],
): string {
  const { id, tag, name, description, sha, created_at, released_at } = release
  return JSON.stringify({
    release: {
      id,
      tag_name: tag,
      name: name ?? tag,
      description,
      sha,
      created_at,
      released_at,
      project: {
        id: project.id,
        name: project.name,
        description: project.description,
        created_at: project.created_at,
      },
      milestones: milestones.map((row) => ({
        ...{ id: row.id, title: row.title, description: row.description, state: row.state, iid: row.iid },
        ...{ created_at: row.created_at, due_date: row.due_date },
      })),
      links: links.map((link) => ({ id: link.id, name: link.name, url: link.url, link_type: link.link_type })),
      report_artifacts: [],
    },
  })
}

/** Stores the summary of a release as evidence of its state (contract 22, x.releases_evidence). */
export const collectEvidenceJob: Job<{ releaseId: number }> = {
  kind: 'releases.collect_evidence',
  async run({ database, clock }, { releaseId }, { jobId }) {
    const release = await releaseById(database.read, releaseId)
    const project = release && (await projectById(database.read, release.project_id))
    if (!release || !project) return
    const links = await linksOf(database.read, [releaseId])
    const milestones = (await milestonesOf(database.read, [releaseId])).get(releaseId) ?? []
    const summary = summaryOf(release, project, links, milestones)
    const sha = createHash('sha256').update(summary).digest('hex')
    const evidence = { release_id: releaseId, job_id: jobId, sha, summary, collected_at: now(clock) }
    await database.write(async (tx) => {
      // The release may be deleted meanwhile.
      if (await releaseById(tx, releaseId)) await insertEvidence(tx, evidence)
    })
  },
}

/** Stores the job that collects new evidence of a release (contract 22, x.releases_evidence). @throws ApiError 404 */
export async function collectEvidence(platform: Platform, project: Project, tag: string): Promise<void> {
  const { id } = await requireRelease(platform, project, tag)
  await platform.database.write((tx) => enqueue(platform, tx, collectEvidenceJob, { releaseId: id }))
}
