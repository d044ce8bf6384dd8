/** Agents of clusters and their tokens, which are records only: no server for agents exists here (contract 26.13). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const clusterAgents = table(
  'cluster_agents',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    created_by_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
  },
  { unique: { name: ['project_id', 'name'] }, indexes: { creator: ['created_by_id'] } },
)
export type ClusterAgentRow = RowOf<typeof clusterAgents>

export const clusterAgentTokens = table(
  'cluster_agent_tokens',
  {
    id: t.id(),
    agent_id: t.refers('cluster_agents', 'cascade'),
    name: t.text(),
    description: t.text().nullable(),
    /** SHA-256 of the token. */
    digest: t.text(),
    created_by_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
    /** Null while the token is active. */
    revoked_at: t.time().nullable(),
  },
  {
    unique: { digest: ['digest'] },
    indexes: {
      agent: ['agent_id', 'id'],
      active: { on: ['agent_id', 'id'], where: 'revoked_at is null' },
      creator: ['created_by_id'],
    },
  },
)
export type ClusterAgentTokenRow = RowOf<typeof clusterAgentTokens>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof clusterAgents | typeof clusterAgentTokens> {}
}
