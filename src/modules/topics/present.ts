import { computed, forms, object, of, type Static, Type } from '../../api/index.ts'
import { avatarFile } from '../namespaces/index.ts'
import type { TopicRow } from './tables.ts'

/** There is one organization. */
export const organizationId = 1

/** A topic (contract 21, Topic). */
export const Topic = object('Topic', of<TopicRow, { externalUrl: string }>(), {
  id: forms.id,
  name: Type.String(),
  title: Type.String(),
  description: forms.nullableString,
  total_projects_count: Type.Integer(),
  organization_id: computed(Type.Integer(), () => organizationId),
  avatar_url: computed(
    forms.nullableString,
    ({ id, avatar }, { externalUrl }) =>
      avatar && `${externalUrl}/uploads/-/system/topic/avatar/${id}/${avatarFile(avatar)}`,
  ),
})
export type PresentedTopic = Static<typeof Topic>
