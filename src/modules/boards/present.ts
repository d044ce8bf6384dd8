import { computed, forms, from, nullable, object, of, type Static, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { Iteration, type IterationRow } from '../iterations/index.ts'
import { LabelBasic, type LabelRow } from '../labels/index.ts'
import { Milestone, type MilestoneRow } from '../milestones/index.ts'
import { BasicProject } from '../projects/index.ts'
import { type PresentingUsers, UserBasic, type UserRow } from '../users/index.ts'
import type { BoardListRow, BoardRow, MilestoneScope } from './tables.ts'

/** A list with its position and what its issues have. */
export type PlacedList = BoardListRow & {
  position: number
  label: LabelRow | null
  milestone: MilestoneRow | null
  iteration: IterationRow | null
  assignee: UserRow | null
}

/** How lists and scopes are presented. */
export type BoardView = Pick<Platform, 'externalUrl' | 'clock'> & { users: PresentingUsers }

const premium = { tier: 'premium' } as const
const lists = of<PlacedList, BoardView>()

/** A list of a board (contract 25, List). */
export const BoardList = object('BoardList', lists, {
  id: forms.id,
  label: computed(Type.Optional(LabelBasic), ({ label }) => (label ? LabelBasic.present(label) : undefined)),
  position: Type.Integer({ description: 'From 0.' }),
  ...lists.ifEdition(premium, {
    assignee: computed(Type.Optional(UserBasic), ({ assignee }, { users }) =>
      assignee ? UserBasic.present(assignee, users) : undefined,
    ),
    milestone: computed(Type.Optional(Milestone), ({ milestone }, view) =>
      milestone ? Milestone.present(milestone, view) : undefined,
    ),
    iteration: computed(Type.Optional(Iteration), ({ iteration }, view) =>
      iteration ? Iteration.present(iteration, view) : undefined,
    ),
    max_issue_count: computed(Type.Integer(), () => 0),
    max_issue_weight: computed(Type.Integer(), () => 0),
    limit_metric: computed(forms.nullableString, () => null),
  }),
})

/** A board with its lists and the rows of its scope. */
export type WholeBoard = BoardRow & {
  lists: readonly PlacedList[]
  milestone: MilestoneRow | null
  assignee: UserRow | null
  labels: readonly LabelRow[]
}

/** What the boards of a project or group have in common. */
export type BoardsView = BoardView & {
  project: Static<typeof BasicProject> | null
  group: { id: number; web_url: string; name: string } | null
}

/** The milestones that a scope can name besides stored ones (contract 25, Board). */
const special: Readonly<Record<MilestoneScope, { id: number; title: string }>> = {
  none: { id: 0, title: 'None' },
  any: { id: -1, title: 'Any' },
  upcoming: { id: -2, title: 'Upcoming' },
  started: { id: -3, title: 'Started' },
}

/** The scope that an id stands for; undefined for the id of a milestone. */
export function milestoneScopeOf(id: number): MilestoneScope | undefined {
  return (Object.keys(special) as MilestoneScope[]).find((scope) => special[scope].id === id)
}

const whole = of<WholeBoard, BoardsView>()
const GroupOfBoard = Type.Object({ id: forms.id, web_url: Type.String(), name: Type.String() })
const ScopeMilestone = Type.Union([Milestone, Type.Object({ id: Type.Integer(), title: Type.String() })])

/** A board of a project or group (contract 25, Board). */
export const Board = object('Board', whole, {
  id: forms.id,
  name: Type.String(),
  hide_backlog_list: Type.Boolean(),
  hide_closed_list: Type.Boolean(),
  project: computed(nullable(BasicProject), (_row, { project }) => project),
  lists: computed(Type.Array(BoardList), ({ lists }, view) => lists.map((list) => BoardList.present(list, view))),
  group: computed(nullable(GroupOfBoard), (_row, { group }) => group),
  ...whole.ifEdition(premium, {
    milestone: computed(nullable(ScopeMilestone), ({ milestone, milestone_scope: scope }, view) => {
      if (scope) return special[scope]
      return milestone ? Milestone.present(milestone, view) : null
    }),
    assignee: computed(nullable(UserBasic), ({ assignee }, { users }) =>
      assignee ? UserBasic.present(assignee, users) : null,
    ),
    labels: computed(Type.Array(LabelBasic), ({ labels }) => labels.map((label) => LabelBasic.present(label))),
    weight: from(forms.nullableInteger, 'weight'),
  }),
})
export type PresentedBoard = Static<typeof Board>
