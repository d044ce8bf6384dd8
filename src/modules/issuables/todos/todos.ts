import { notFound, type PageRequest, type UserActor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { addTodo, listTodos, markTodoDone, pendingTodo, type TodoFilter, type TodoRow } from '../../notes/index.ts'
import { projectSummaries } from '../../projects/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import { answersOf, type TodoTarget } from '../answers.ts'
import type { Issuable } from '../issuable.ts'
import { type PresentedTodo, presentTodo } from './present.ts'

/** The targets of these to-dos that the caller may read, each by its type and id; one question for each type. */
async function targetsOf(platform: Platform, actor: UserActor, rows: readonly TodoRow[]) {
  const found = new Map<string, TodoTarget>()
  for (const [type, ofType] of Map.groupBy(rows, ({ noteable_type }) => noteable_type)) {
    const ids = [...new Set(ofType.flatMap(({ noteable_id }) => noteable_id ?? []))]
    const targets = await answersOf(platform, type)?.todoTargets(platform, actor, ids)
    for (const [id, target] of targets ?? []) found.set(`${type} ${id}`, target)
  }
  return ({ noteable_type, noteable_id }: TodoRow) => found.get(`${noteable_type} ${noteable_id}`)
}

/** Presents to-dos; those whose target the caller may no longer read are left out. */
async function present(platform: Platform, actor: UserActor, rows: readonly TodoRow[]): Promise<PresentedTodo[]> {
  const db = platform.database.read
  const [targetOf, users, projects, presenting] = await Promise.all([
    targetsOf(platform, actor, rows),
    usersByIds(
      db,
      rows.map(({ author_id }) => author_id),
    ),
    projectSummaries(
      db,
      rows.flatMap(({ project_id }) => project_id ?? []),
    ),
    presentingUsers(platform),
  ])
  return rows.flatMap((row) => {
    const [found, author] = [targetOf(row), users.get(row.author_id)]
    const project = projects.get(row.project_id ?? 0) ?? null
    return found && author ? [presentTodo(row, { author, project, found, presenting })] : []
  })
}

/** A page of the caller's to-dos, newest first (contract 16, x.todo_list). */
export async function listOwnTodos(platform: Platform, actor: UserActor, filter: TodoFilter, page: PageRequest) {
  const found = await listTodos(platform, actor.userId, filter, page)
  return { ...found, items: await present(platform, actor, found.items) }
}

/** Marks a to-do of the caller as done (contract 16, x.todo_done). @throws ApiError 404 */
export async function finishTodo(platform: Platform, actor: UserActor, id: number): Promise<PresentedTodo> {
  const [todo] = await present(platform, actor, [await markTodoDone(platform, actor.userId, id)])
  if (!todo) throw notFound()
  return todo
}

/** Puts an issuable on the caller's list, unless it is there (contract 16, x.issue_todo). */
export async function markIssuable(platform: Platform, issuable: Issuable, actor: UserActor) {
  const { userId } = actor
  const added = await platform.database.write((tx) =>
    addTodo(platform, tx, issuable, { userId, authorId: userId, action: 'marked' }),
  )
  const row = added ?? (await pendingTodo(platform.database.read, issuable, userId))
  const [todo] = row ? await present(platform, actor, [row]) : []
  if (!todo) throw notFound()
  return { isNew: added !== null, todo }
}
