import { anything, forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import type { TodoAction, TodoRow } from '../../notes/index.ts'
import { ProjectSummary } from '../../projects/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { TodoTarget } from '../answers.ts'

/** The reasons of to-dos (contract 16, To-do). */
export const todoActions = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'review_requested',
] as const satisfies readonly TodoAction[]

/** An entry of a user's to-do list (contract 16, To-do). */
export const Todo = Type.Object(
  {
    id: forms.id,
    project: nullable(ProjectSummary),
    author: UserBasic,
    action_name: oneOf(todoActions),
    target_type: Type.String(),
    target: anything,
    target_url: Type.String(),
    body: Type.String(),
    state: oneOf(['pending', 'done']),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
  },
  { title: 'Todo' },
)
export type PresentedTodo = Static<typeof Todo>

/** What a to-do shows besides its row. */
export type TodoParts = {
  author: UserRow
  project: Static<typeof ProjectSummary> | null
  found: TodoTarget
  presenting: PresentingUsers
}

export function presentTodo(row: TodoRow, { author, project, found, presenting }: TodoParts): PresentedTodo {
  const { id, action, state, created_at, updated_at, note_id, noteable_type } = row
  return {
    ...{ id, project, author: presentUserBasic(author, presenting) },
    ...{ action_name: action, target_type: noteable_type, target: found.target },
    target_url: note_id === null ? found.web_url : `${found.web_url}#note_${note_id}`,
    ...{ body: found.title, state, created_at, updated_at },
  }
}
