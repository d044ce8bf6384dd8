import { computed, forms, from, object, of, oneOf, type Static, Type } from '../../api/index.ts'
import { ProjectSummary } from '../projects/index.ts'
import type { ClusterAgentRow, ClusterAgentTokenRow } from './tables.ts'

type AgentView = { project: Static<typeof ProjectSummary> }

/** An agent (contract 26.13, Agent). */
export const ClusterAgent = object('ClusterAgent', of<ClusterAgentRow, AgentView>(), {
  id: forms.id,
  name: Type.String(),
  config_project: computed(ProjectSummary, (_, { project }) => project),
  created_at: forms.timestamp,
  created_by_user_id: from(forms.nullableInteger, 'created_by_id'),
  is_receptive: computed(Type.Boolean(), () => false),
})

const statuses = ['active', 'revoked'] as const

/** A token of an agent in a list (contract 26.13, AgentToken). */
export const ClusterAgentToken = object('ClusterAgentToken', of<ClusterAgentTokenRow>(), {
  id: forms.id,
  name: Type.String(),
  description: forms.nullableString,
  agent_id: forms.id,
  status: computed(oneOf(statuses), ({ revoked_at }) => (revoked_at === null ? 'active' : 'revoked')),
  created_at: forms.timestamp,
  created_by_user_id: from(forms.nullableInteger, 'created_by_id'),
})

/** A token of an agent alone. */
export const ClusterAgentTokenDetail = object('ClusterAgentTokenDetail', of<ClusterAgentTokenRow>(), {
  ...ClusterAgentToken.fields,
  last_used_at: computed(forms.nullableTimestamp, () => null),
})

/** A token that was just made: the only object with its text. */
export const NewClusterAgentToken = object(
  'ClusterAgentTokenWithSecret',
  of<ClusterAgentTokenRow & { token: string }>(),
  {
    ...ClusterAgentTokenDetail.fields,
    token: Type.String({ description: 'The text of the token. Shown only in this response.' }),
  },
)
