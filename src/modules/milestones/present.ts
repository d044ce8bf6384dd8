import { dayOf, forms, oneOf, type Static, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { MilestoneRow } from './tables.ts'

/** A milestone of a project or a group (contract 17). */
export const Milestone = Type.Object(
  {
    id: forms.id,
    iid: forms.id,
    project_id: Type.Optional(forms.id),
    group_id: Type.Optional(forms.id),
    title: Type.String(),
    description: forms.nullableString,
    state: oneOf(['active', 'closed']),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    due_date: forms.nullableDay,
    start_date: forms.nullableDay,
    expired: Type.Boolean({ description: 'Whether the due date has passed.' }),
    web_url: Type.String(),
  },
  { title: 'Milestone' },
)
export type PresentedMilestone = Static<typeof Milestone>

/** A milestone on the day of the clock. */
export function presentMilestone(
  { externalUrl, clock }: Pick<Platform, 'externalUrl' | 'clock'>,
  row: MilestoneRow,
): PresentedMilestone {
  const { id, iid, project_id, namespace_id, title, description, state, created_at, updated_at } = row
  const { due_date, start_date, parent_path } = row
  const page = project_id === null ? `${externalUrl}/groups/${parent_path}` : `${externalUrl}/${parent_path}`
  return {
    ...{ id, iid },
    ...(project_id === null ? { group_id: namespace_id ?? 0 } : { project_id }),
    ...{ title, description, state, created_at, updated_at, due_date, start_date },
    expired: due_date !== null && due_date < dayOf(clock.now()),
    web_url: `${page}/-/milestones/${iid}`,
  }
}
