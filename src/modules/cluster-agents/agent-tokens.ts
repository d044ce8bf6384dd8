import { type Actor, type PageRequest, recordNotFound, requireSignedIn, type Unmodified } from '../../api/index.ts'
import { claim, now, type Reader } from '../../infra/database/index.ts'
import { hashToken, randomToken } from '../../infra/secrets/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import { refusal, requireAgent } from './agents.ts'
import { ClusterAgentToken, ClusterAgentTokenDetail, NewClusterAgentToken } from './present.ts'
import * as store from './store.ts'
import type { ClusterAgentTokenRow } from './tables.ts'

const prefix = 'glagent-'
/** In characters, after the prefix. */
const tokenLength = 50
const mostActive = 2
const longestName = 255
const longestDescription = 1024

/** A token of an agent of a project. */
type TokenPlace = { agent_id: number; token_id: number }

/** A token, also one that was revoked. @throws ApiError 404 */
async function requireToken(
  db: Reader,
  project: Project,
  { agent_id: agentId, token_id: id }: TokenPlace,
): Promise<ClusterAgentTokenRow> {
  const { id: owner } = await requireAgent(db, project, agentId)
  const row = await store.tokenById(db, id)
  if (row?.agent_id !== owner) throw recordNotFound()
  return row
}

/** A page of the active tokens of an agent, the newest first (contract 26, x.agent_token_list). @throws ApiError 404 */
export async function listTokens({ database }: Platform, project: Project, agentId: number, page: PageRequest) {
  const { id } = await requireAgent(database.read, project, agentId)
  const found = await store.pageOfTokens(database.read, id, page)
  return { ...found, items: found.items.map((row) => ClusterAgentToken.present(row)) }
}

/** One active token (contract 26, x.agent_token_get). @throws ApiError 404 */
export async function getToken({ database }: Platform, project: Project, place: TokenPlace) {
  const row = await requireToken(database.read, project, place)
  if (row.revoked_at !== null) throw recordNotFound()
  return ClusterAgentTokenDetail.present(row)
}

/** What a new token is called. */
export type NewToken = { name: string; description?: string | undefined }

/** @throws ApiError 400 */
function requireValid({ name, description = '' }: NewToken): void {
  if (name.trim() === '') throw refusal("Name can't be blank")
  if ([...name].length > longestName) throw refusal(`Name is too long (maximum is ${longestName} characters)`)
  if ([...description].length <= longestDescription) return
  throw refusal(`Description is too long (maximum is ${longestDescription} characters)`)
}

/** Gives an agent a token, whose text is shown once (contract 26, x.agent_token_create). @throws ApiError 400, 404 */
export async function createToken(
  { database, clock }: Platform,
  project: Project,
  { actor, act }: { actor: Actor; act: Act },
  { agent_id: agentId, ...given }: NewToken & { agent_id: number },
) {
  const { userId } = requireSignedIn(actor)
  await requireAgent(database.read, project, agentId)
  requireValid(given)
  const token = randomToken(prefix, tokenLength)
  const row = await database.write(async (tx) => {
    const { id } = await claim(tx, 'cluster_agents', () => requireAgent(tx, project, agentId))
    if ((await store.countActiveTokens(tx, id)) >= mostActive) {
      throw refusal('An agent can have only two active tokens at a time')
    }
    const added = await store.insertToken(tx, {
      ...{ agent_id: id, name: given.name, description: given.description ?? null, digest: hashToken(token) },
      ...{ created_by_id: userId, created_at: now(clock), revoked_at: null },
    })
    await act(tx, added.id)
    return added
  })
  return NewClusterAgentToken.present({ ...row, token })
}

/** Revokes a token; again without an effect (contract 26, x.agent_token_revoke). @throws ApiError 404, 412 */
export async function revokeToken(
  { database, clock }: Platform,
  project: Project,
  place: TokenPlace,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'cluster_agent_tokens', () => requireToken(tx, project, place))
    unmodified(row.created_at)
    if (await store.revokeToken(tx, row.id, now(clock))) await act(tx, row.id)
  })
}
