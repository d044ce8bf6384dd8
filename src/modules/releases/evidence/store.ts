import type { Insertable } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { EvidenceRow, ReleaseEvidencesTable } from '../tables.ts'

/** The evidence of these releases, newest first. */
export async function evidencesOf(db: Reader, releaseIds: readonly number[]): Promise<EvidenceRow[]> {
  return db
    .selectFrom('release_evidences')
    .select(['id', 'release_id', 'job_id', 'sha', 'collected_at'])
    .where(within(db, 'release_evidences.release_id', releaseIds))
    .orderBy('id', 'desc')
    .execute()
}

/** Inserts what a job has collected; does nothing when the job ran before. */
export async function insertEvidence(tx: Tx, evidence: Insertable<ReleaseEvidencesTable>): Promise<void> {
  await tx
    .insertInto('release_evidences')
    .values(evidence)
    .onConflict((conflict) => conflict.columns(['release_id', 'job_id']).doNothing())
    .execute()
}
