import { failure } from '../../api/index.ts'
import { acquireLock, type Tx } from '../../infra/database/index.ts'
import { renewGeneration } from './clients/store.ts'
import { bytesOfStrategies, countScopes } from './flags/store.ts'

/** Lets the writes to the flags, lists and clients of a project follow each other, until the transaction ends. */
export const lockFlags = (tx: Tx, projectId: number) => acquireLock(tx, `feature_flags:${projectId}`)

/** What one answer to a client may be made of; one poll reads it whole. */
const mostScopes = 10_000
const mostBytes = 8 * 1024 * 1024

/**
 * Ends a write to the flags or lists of a project: what clients get next is new.
 * @throws ApiError 400 when an answer to them would be too large
 */
export async function finishWrite(tx: Tx, projectId: number): Promise<void> {
  if ((await countScopes(tx, projectId)) > mostScopes) {
    throw failure(400, [`Maximum number of environment scopes of the project (${mostScopes}) exceeded`])
  }
  if ((await bytesOfStrategies(tx, projectId)) > mostBytes) {
    throw failure(400, [`Strategies of the project are too long together (maximum is ${mostBytes} bytes)`])
  }
  await renewGeneration(tx, projectId)
}
