import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { countRows, type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { type ClusterAgentRow, type ClusterAgentTokenRow, clusterAgents, clusterAgentTokens } from './tables.ts'

export const { byId: agentById, insert: insertAgent, remove: deleteAgent } = rows(clusterAgents)
export const { byId: tokenById, insert: insertToken } = rows(clusterAgentTokens)

/** A page of the agents of a project, by name. */
export function pageOfAgents(db: Reader, projectId: number, page: PageRequest): Promise<Page<ClusterAgentRow>> {
  const query = db.selectFrom('cluster_agents').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('name'), page)
}

const activeTokens = (db: Reader, agentId: number) =>
  db.selectFrom('cluster_agent_tokens').where('agent_id', '=', agentId).where('revoked_at', 'is', null)

/** A page of the active tokens of an agent, the newest first. */
export function pageOfTokens(db: Reader, agentId: number, page: PageRequest): Promise<Page<ClusterAgentTokenRow>> {
  return pageOfRows(db, activeTokens(db, agentId).selectAll().orderBy('id', 'desc'), page)
}

export const countActiveTokens = (db: Reader, agentId: number): Promise<number> => countRows(activeTokens(db, agentId))

/** Revokes a token. @returns whether it was active */
export async function revokeToken(tx: Tx, id: number, moment: string): Promise<boolean> {
  const query = tx.updateTable('cluster_agent_tokens').set({ revoked_at: moment }).where('id', '=', id)
  return (await query.where('revoked_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n
}
