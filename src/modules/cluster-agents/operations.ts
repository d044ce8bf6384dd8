import { nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { createToken, getToken, listTokens, revokeToken } from './agent-tokens.ts'
import { createAgent, deleteAgent, getAgent, listAgents } from './agents.ts'
import { ClusterAgent, ClusterAgentToken, ClusterAgentTokenDetail, NewClusterAgentToken } from './present.ts'

const shared = { tag: 'Cluster agents', subject: project } as const
const read = { ...shared, method: 'GET', allow: 'read_cluster_agents', scopes: reading } as const
const write = { ...shared, allow: 'admin_cluster_agents', scopes: writing } as const
const agents = '/projects/:id/cluster_agents'
const agent = `${agents}/:agent_id` as const
const tokens = `${agent}/tokens` as const
const token = `${tokens}/:token_id` as const
const agentId = { agent_id: t.id() }
const tokenId = { ...agentId, token_id: t.id() }

export const clusterAgentsList = operation({
  ...read,
  id: 'cluster_agents.list',
  contract: 'x.agent_list',
  path: agents,
  summary: 'List the agents of a project',
  result: [200, pageOf(ClusterAgent)],
  run: ({ platform, subject, page }) => listAgents(platform, subject, page),
})

export const clusterAgentsGet = operation({
  ...read,
  id: 'cluster_agents.get',
  contract: 'x.agent_get',
  path: agent,
  summary: 'Get an agent',
  params: agentId,
  result: [200, ClusterAgent],
  run: ({ platform, subject, params }) => getAgent(platform, subject, params.agent_id),
})

export const clusterAgentsCreate = operation({
  ...write,
  id: 'cluster_agents.create',
  contract: 'x.agent_create',
  method: 'POST',
  path: agents,
  summary: 'Register an agent',
  description: 'A record only: there is no server for agents.',
  params: { name: t.required(t.string({ description: 'Lower-case letters, digits and `-`. Unique in the project.' })) },
  result: [201, ClusterAgent],
  run: ({ platform, subject, actor, act, params }) => createAgent(platform, subject, { actor, act }, params.name),
})

export const clusterAgentsDelete = operation({
  ...write,
  id: 'cluster_agents.delete',
  contract: 'x.agent_delete',
  method: 'DELETE',
  path: agent,
  summary: 'Delete an agent with its tokens',
  params: agentId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteAgent(platform, subject, params.agent_id, { unmodified, act }),
})

export const clusterAgentTokensList = operation({
  ...read,
  id: 'cluster_agent_tokens.list',
  contract: 'x.agent_token_list',
  path: tokens,
  summary: 'List the active tokens of an agent',
  params: agentId,
  result: [200, pageOf(ClusterAgentToken)],
  run: ({ platform, subject, params, page }) => listTokens(platform, subject, params.agent_id, page),
})

export const clusterAgentTokensGet = operation({
  ...read,
  id: 'cluster_agent_tokens.get',
  contract: 'x.agent_token_get',
  path: token,
  summary: 'Get an active token of an agent',
  params: tokenId,
  result: [200, ClusterAgentTokenDetail],
  run: ({ platform, subject, params }) => getToken(platform, subject, params),
})

export const clusterAgentTokensCreate = operation({
  ...write,
  id: 'cluster_agent_tokens.create',
  contract: 'x.agent_token_create',
  method: 'POST',
  path: tokens,
  summary: 'Create a token of an agent',
  description: 'An agent has up to two active tokens. They open nothing, since there is no server for agents.',
  params: {
    ...agentId,
    name: t.required(t.string({ description: 'Up to 255 characters.' })),
    description: t.string({ description: 'Up to 1,024 characters.' }),
  },
  result: [201, NewClusterAgentToken],
  run: ({ platform, subject, actor, act, params }) => createToken(platform, subject, { actor, act }, params),
})

export const clusterAgentTokensRevoke = operation({
  ...write,
  id: 'cluster_agent_tokens.revoke',
  contract: 'x.agent_token_revoke',
  method: 'DELETE',
  path: token,
  summary: 'Revoke a token of an agent',
  description: 'Succeeds also for a revoked token.',
  params: tokenId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) => revokeToken(platform, subject, params, { unmodified, act }),
})
