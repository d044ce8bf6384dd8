import { computed, dayOf, forms, object, of, oneOf, type Static, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { MilestoneRow } from './tables.ts'

const milestones = of<MilestoneRow, Pick<Platform, 'externalUrl' | 'clock'>>()
const isOfProject = ({ project_id }: MilestoneRow) => project_id !== null

/** A milestone of a project or a group (contract 17). */
export const Milestone = object('Milestone', milestones, {
  id: forms.id,
  iid: forms.id,
  project_id: computed(Type.Optional(forms.id), ({ project_id }) => project_id ?? undefined),
  group_id: computed(Type.Optional(forms.id), (row) => (isOfProject(row) ? undefined : (row.namespace_id ?? 0))),
  title: Type.String(),
  description: forms.nullableString,
  state: oneOf(['active', 'closed']),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  due_date: forms.nullableDay,
  start_date: forms.nullableDay,
  expired: computed(
    Type.Boolean({ description: 'Whether the due date has passed.' }),
    ({ due_date }, { clock }) => due_date !== null && due_date < dayOf(clock.now()),
  ),
  web_url: computed(Type.String(), (row, { externalUrl }) => {
    const parent = isOfProject(row) ? row.parent_path : `groups/${row.parent_path}`
    return `${externalUrl}/${parent}/-/milestones/${row.iid}`
  }),
})
export type PresentedMilestone = Static<typeof Milestone>
