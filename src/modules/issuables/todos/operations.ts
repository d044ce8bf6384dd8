import { instance, nothing, pageOf, reading, requireSignedIn, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { markAllTodosDone, type TodoFilter } from '../../notes/index.ts'
import { Todo, todoActions } from './present.ts'
import { finishTodo, listOwnTodos } from './todos.ts'

const common = { tag: 'To-dos', subject: instance, allow: 'authenticated' } as const

export const todosList = operation({
  ...common,
  id: 'todos.list',
  contract: 'x.todo_list',
  method: 'GET',
  path: '/todos',
  summary: 'List the to-dos of the caller, newest first',
  scopes: reading,
  params: {
    action: t.oneOf(todoActions),
    author_id: t.integer(),
    project_id: t.integer(),
    group_id: t.integer({ description: 'Of the group and all of its subgroups.' }),
    state: t.oneOf(['pending', 'done'], { description: 'Default `pending`.' }),
    type: t.string({ description: 'Type of the targets, such as `Issue` or `MergeRequest`.' }),
  },
  result: [200, pageOf(Todo)],
  run: ({ platform, actor, params, page }) =>
    listOwnTodos(platform, requireSignedIn(actor), params as TodoFilter, page),
})

export const todosDone = operation({
  ...common,
  id: 'todos.mark_as_done',
  contract: 'x.todo_done',
  method: 'POST',
  path: '/todos/:todo_id/mark_as_done',
  summary: 'Mark a to-do as done',
  scopes: writing,
  params: { todo_id: t.id() },
  result: [201, Todo],
  run: ({ platform, actor, params }) => finishTodo(platform, requireSignedIn(actor), params.todo_id),
})

export const todosAllDone = operation({
  ...common,
  id: 'todos.mark_all_as_done',
  contract: 'x.todo_done_all',
  method: 'POST',
  path: '/todos/mark_as_done',
  summary: 'Mark all to-dos of the caller as done',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, actor }) => markAllTodosDone(platform, requireSignedIn(actor).userId),
})
