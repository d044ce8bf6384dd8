import { type ParamValues, t } from '../../../api/index.ts'
import { labelTitles } from '../../issuables/index.ts'

const path = '/groups/:id/epics'
/** The second path of each operation (contract 17, Operations: epics). */
const otherPath = '/groups/:id/-/epics'

/** The paths of the epics of a group. */
export const epicsPath = { path, otherPaths: [otherPath] } as const
/** The paths of an epic. */
export const epicPaths = { path: `${path}/:epic_iid`, otherPaths: [`${otherPath}/:epic_iid`] } as const

/** The paths of what belongs to an epic. */
export const pathsBelowEpic = <const Rest extends string>(rest: Rest) =>
  ({
    path: `${epicPaths.path}/${rest}`,
    otherPaths: epicPaths.otherPaths.map((path) => `${path}/${rest}`),
  }) as const

const day = (description: string) => t.clearable(t.date({ description }))

const attributes = {
  description: t.clearable(t.string({ description: 'Markdown.' })),
  color: t.string({ description: '`#RGB`, `#RRGGBB` or a name of CSS; default `#1068bf`.' }),
  confidential: t.boolean(),
  start_date_fixed: day('The start, when it is fixed.'),
  start_date_is_fixed: t.boolean({ description: 'Whether the start is not taken from milestones.' }),
  due_date_fixed: day('The due date, when it is fixed.'),
  due_date_is_fixed: t.boolean({ description: 'Whether the due date is not taken from milestones.' }),
  start_date: day('Deprecated: fixes the start.'),
  end_date: day('Deprecated: fixes the due date.'),
  parent_id: t.clearable(t.integer({ description: 'Id of the epic above it, in the same tree of groups.' })),
}

export const newEpic = {
  title: t.required(t.string()),
  labels: labelTitles('Titles; unknown ones are created in the group.'),
  ...attributes,
  created_at: t.datetime({ description: 'Administrators and owners only.' }),
}
export type NewEpic = ParamValues<typeof newEpic>

export const epicChanges = {
  title: t.string(),
  labels: labelTitles('Titles; they replace the present labels.'),
  add_labels: labelTitles('Titles, added to the present labels.'),
  remove_labels: labelTitles('Titles, removed from the present labels.'),
  ...attributes,
  state_event: t.oneOf(['close', 'reopen']),
  updated_at: t.datetime({ description: 'Administrators and owners only.' }),
}
export type EpicChanges = ParamValues<typeof epicChanges>
