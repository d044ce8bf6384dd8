import { notFound, type RequestInfo, type Static, Type } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { senderOf } from './spam.ts'
import { findUserAgent, insertUserAgent } from './store.ts'
import type { SubmissionType } from './tables.ts'

/** A stored submission. */
type Subject = { type: SubmissionType; id: number; projectId: number | null }

/** Who sent a submission (contract 09, UserAgentDetail; contract 16). */
export const UserAgentDetail = Type.Object(
  { user_agent: Type.String(), ip_address: Type.String(), akismet_submitted: Type.Boolean() },
  { title: 'UserAgentDetail' },
)

/** Stores who sent a new submission; in the transaction in which it is stored. */
export async function storeUserAgent(
  { clock }: Platform,
  tx: Tx,
  subject: Subject,
  request: RequestInfo,
): Promise<void> {
  const { type, id, projectId } = subject
  const ids = { subject_type: type, subject_id: id, project_id: projectId }
  await insertUserAgent(tx, { ...ids, ...senderOf(request), created_at: now(clock) })
}

/** Who sent a submission. @throws ApiError 404 `UserAgentDetail` for one that came another way */
export async function userAgentDetail(
  { database }: Platform,
  { type, id }: Pick<Subject, 'type' | 'id'>,
): Promise<Static<typeof UserAgentDetail>> {
  const detail = await findUserAgent(database.read, type, id)
  if (!detail) throw notFound('UserAgentDetail')
  return detail
}
