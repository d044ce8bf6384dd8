import { allTakenIn, type ParamValues, t } from '../../api/index.ts'
import { listKinds } from './tables.ts'

const premium = { tier: 'premium' } as const

export const boardId = { board_id: t.id() }
export const listId = { ...boardId, list_id: t.id() }

/** Parameters of x.board_create. */
export const newBoard = { name: t.required(t.string()) }

/** What limits the issues of a board. */
const scope = allTakenIn(premium, {
  assignee_id: t.clearable(t.integer({ minimum: 0, description: 'A member; 0 or empty text for none.' })),
  milestone_id: t.clearable(
    t.integer({ minimum: -3, description: '0 without, -1 any, -2 upcoming, -3 started; empty text for no limit.' }),
  ),
  labels: t.array(t.string(), { commaSeparated: true, maximum: 100, description: 'Names of labels; empty for none.' }),
  weight: t.clearable(t.integer({ minimum: -2, maximum: 9, description: '-1 any, -2 none; empty text for no limit.' })),
})

/** Parameters of x.board_update. */
export const boardChanges = {
  name: t.string(),
  hide_backlog_list: t.boolean({ description: 'Whether the list of open issues is hidden.' }),
  hide_closed_list: t.boolean({ description: 'Whether the list of closed issues is hidden.' }),
  ...scope,
}
export type BoardChanges = ParamValues<typeof boardChanges>

/** Parameters of x.board_list_create, of which exactly one is given. */
export const newList = {
  label_id: t.integer({ description: 'A label of the project or group, or of a group above it.' }),
  ...allTakenIn(premium, {
    milestone_id: t.integer({ description: 'A milestone of the project or group, or of a group above it.' }),
    iteration_id: t.integer({ description: 'An iteration of the group or of a group above it.' }),
    assignee_id: t.integer({ description: 'A member of the project or group.' }),
  }),
}
export type NewList = ParamValues<typeof newList>

/** Names of the parameters of `newList`. */
export const listTargets = listKinds.map((kind) => `${kind}_id` as const)

/** Parameters of x.board_list_move. */
export const listMove = { position: t.required(t.integer({ description: 'From 0.' })) }
