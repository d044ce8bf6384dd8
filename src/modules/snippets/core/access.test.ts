/** Who pushes to snippets, and which snippets of a project are read. */
import { expect, test } from 'vitest'
import { type Actor, anonymous } from '../../../api/index.ts'
import { projectWithMembers, startTestServer } from '../../../testing/index.ts'
import { withRole } from '../../projects/index.ts'
import { mayPushTo, readableSnippetsIn, type Snippet } from './access.ts'

const user = (userId: number, more: object = {}) =>
  ({ kind: 'user', userId, administrator: false, credential: { kind: 'personal', id: 1 }, ...more }) as unknown as Actor

test('the author and administrators push to a personal snippet', () => {
  const snippet = (author_id: number | null) => ({ author_id, project: null }) as unknown as Snippet
  const may = (actor: Actor, author: number | null = 7) => mayPushTo(actor, snippet(author))
  expect([may(user(7)), may(user(8)), may(anonymous), may(anonymous, null)]).toEqual([true, false, false, false])
  expect([may(user(8, { administrator: true })), may(user(8), null)]).toEqual([true, false])
})

test('of several snippets those of the project are found that the caller may read', async () => {
  await using server = await startTestServer()
  const { owner, developer, outsider, project } = await projectWithMembers(server, { visibility: 'public' })
  const other = await server.make.project('other', owner, { visibility: 'public' })
  const make = async (id: number, visibility: string): Promise<number> => {
    const values = { title: 's', file_name: 'a', content: 'a', visibility }
    return (await owner.post(`/projects/${id}/snippets`, values)).body.id
  }
  const [closed, open] = [await make(project.id, 'private'), await make(project.id, 'public')]
  const ids = [closed, open, await make(other.id, 'public')]
  const { read } = server.app.platform.database
  const readable = async ({ id }: { id: number }) => {
    const found = await withRole(read, project, user(id), '2026-03-01')
    return [...(await readableSnippetsIn(read, found, user(id), ids))].toSorted((a, b) => a - b)
  }
  expect(await readable(developer)).toEqual([closed, open])
  expect(await readable(outsider)).toEqual([open])
})
