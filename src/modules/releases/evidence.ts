import { createHash } from 'node:crypto'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import { type ProjectRow, projectById } from '../projects/index.ts'
import { insertEvidence, linksOf, releaseById } from './store.ts'
import type { LinkRow, ReleaseRow } from './tables.ts'

export type EvidenceNeeds = { database: Database; clock: Clock; jobs: Jobs }

/** Collects what a release was like, so that it can be shown later on (contract 22, x.releases_evidence). */
export type EvidenceCollection = ReturnType<typeof createEvidenceCollection>

const collectJob = 'releases.collect_evidence'

/** What a release was like, in an order of members that never changes. */
function summaryOf(release: ReleaseRow, project: ProjectRow, links: readonly LinkRow[]): string {
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
      milestones: [],
      links: links.map((link) => ({ id: link.id, name: link.name, url: link.url, link_type: link.link_type })),
      report_artifacts: [],
    },
  })
}

export function createEvidenceCollection({ database, clock, jobs }: EvidenceNeeds) {
  const db = database.read

  async function collect(releaseId: number, jobId: number): Promise<void> {
    const release = await releaseById(db, releaseId)
    const project = release && (await projectById(db, release.project_id))
    if (!release || !project) return
    const summary = summaryOf(release, project, await linksOf(db, [releaseId]))
    const sha = createHash('sha256').update(summary).digest('hex')
    const evidence = { release_id: releaseId, job_id: jobId, sha, summary, collected_at: now(clock) }
    await database.write(async (tx) => {
      // It may have gone meanwhile.
      if (await releaseById(tx, releaseId)) await insertEvidence(tx, evidence)
    })
  }

  jobs.define<{ releaseId: number }>({
    kind: collectJob,
    run: ({ releaseId }, { jobId }) => collect(releaseId, jobId),
  })

  return {
    /** Stores the job that collects, in the transaction of what is to be shown. */
    async collectLater(tx: Tx, releaseId: number): Promise<void> {
      await jobs.enqueue(tx, collectJob, { releaseId })
    },
  }
}
