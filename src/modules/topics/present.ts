import { forms, type Static, Type } from '../../api/index.ts'
import { avatarFile } from '../namespaces/index.ts'
import type { TopicRow } from './tables.ts'

/** A topic (contract 21, Topic). */
export const Topic = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    title: Type.String(),
    description: forms.nullableString,
    total_projects_count: Type.Integer(),
    organization_id: Type.Integer(),
    avatar_url: forms.nullableString,
  },
  { title: 'Topic' },
)

/** There is one organization. */
export const organizationId = 1

export function presentTopic(row: TopicRow, externalUrl: string): Static<typeof Topic> {
  const { id, name, title, description, total_projects_count, avatar } = row
  return {
    ...{ id, name, title, description, total_projects_count },
    organization_id: organizationId,
    avatar_url: avatar && `${externalUrl}/uploads/-/system/topic/avatar/${id}/${avatarFile(avatar)}`,
  }
}
