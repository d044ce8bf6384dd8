import { failure, invalid } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { lockIssuable } from '../../issuables/index.ts'
import type { EpicRow } from '../tables.ts'
import { epicsByIds, hasPublicIssues } from './store.ts'

/** The row of an epic, whose confidentiality and issues change one after another until the transaction ends. */
export async function heldEpic(tx: Tx, id: number): Promise<EpicRow | null> {
  await lockIssuable(tx, { type: 'Epic', id })
  return (await epicsByIds(tx, [id])).get(id) ?? null
}

const refused = () =>
  failure(
    422,
    'Cannot assign a non-confidential issue to a confidential epic. Make the issue confidential and try again',
  )

/** Requires that an epic takes an issue (contract 17, "Rules"). @throws ApiError 422 for a public issue and a confidential epic */
export async function requireConfidential(tx: Tx, epicId: number, issue: { confidential: boolean }): Promise<void> {
  if (issue.confidential) return
  if ((await heldEpic(tx, epicId))?.confidential) throw refused()
}

/** Requires that an epic may become confidential (contract 17, "Rules"). @throws ApiError 400 when it has public issues */
export async function requireNoPublicIssues(tx: Tx, epicId: number): Promise<void> {
  await lockIssuable(tx, { type: 'Epic', id: epicId })
  if (!(await hasPublicIssues(tx, epicId))) return
  throw invalid({ confidential: ['cannot be set when there are non-confidential issues'] })
}
