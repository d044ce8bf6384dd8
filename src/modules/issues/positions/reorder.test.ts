import { expect, test } from 'vitest'
import { projectWithMembers } from '../../../testing/index.ts'
import { createdIssue, iidsAt, issuesOf, people, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'positions' })

let made = 0
/** A project with issues, and functions that order them. */
async function ordered(count: number) {
  made += 1
  const { project } = await projectWithMembers(server, { people, path: `ordered-${made}` })
  const at = issuesOf(project)
  const issues: { id: number; iid: number }[] = []
  for (let number = 0; number < count; number += 1) issues.push(await createdIssue(people.owner, project))
  const idOf = (iid: number) => issues[iid - 1]?.id ?? 0
  return {
    ...{ project, at, idOf },
    order: (sort = 'asc') => iidsAt(people.owner, `${at}?order_by=relative_position&sort=${sort}`),
    async move(iid: number, { after, before }: { after?: number; before?: number }) {
      const neighbours = {
        ...(after !== undefined && { move_after_id: idOf(after) }),
        ...(before !== undefined && { move_before_id: idOf(before) }),
      }
      const { status, body } = await people.reporter.put(`${at}/${iid}/reorder`, neighbours)
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body
    },
  }
}

test('issues are placed after one, before another, or between both; new ones come last', async () => {
  const { project, order, move } = await ordered(4)
  expect(await order()).toEqual([1, 2, 3, 4])
  expect(await move(4, { before: 1 })).toMatchObject({ iid: 4, subscribed: false })
  expect(await order()).toEqual([4, 1, 2, 3])
  await move(4, { after: 2 })
  expect(await order()).toEqual([1, 2, 4, 3])
  await move(1, { after: 4, before: 3 })
  expect(await order()).toEqual([2, 4, 1, 3])
  await move(2, { after: 3 })
  await createdIssue(people.owner, project)
  expect(await order()).toEqual([4, 1, 3, 2, 5])
  expect(await order('desc')).toEqual([5, 2, 3, 1, 4])
  await move(5, { after: 4, before: 1 })
  expect(await order()).toEqual([4, 5, 1, 3, 2])
})

test('there is room for any number of moves into one gap', async () => {
  const { order, move } = await ordered(3)
  for (let round = 0; round < 70; round += 1) {
    await move(round % 2 === 0 ? 3 : 2, { after: 1 })
    expect(await order()).toEqual(round % 2 === 0 ? [1, 3, 2] : [1, 2, 3])
  }
})

test('parallel moves all succeed', async () => {
  const { order, move } = await ordered(5)
  await Promise.all([move(5, { before: 1 }), move(4, { before: 1 }), move(3, { before: 1 })])
  const iids = await order()
  expect([...iids.slice(0, 3)].sort()).toEqual([3, 4, 5])
  expect(iids.slice(3)).toEqual([1, 2])
})

test('the number of the issue in its project is not the id of a neighbour', async () => {
  // The issue with the id 1 is below another group.
  await ordered(1)
  const namespace = await server.make.group('own', people.owner)
  const { project } = await projectWithMembers(server, { people, path: 'own', namespace })
  const [first, second] = [await createdIssue(people.owner, project), await createdIssue(people.owner, project)]
  const at = issuesOf(project)
  expect((await people.reporter.put(`${at}/${second.iid}/reorder`, { move_before_id: first.id })).status).toBe(200)
  expect(await iidsAt(people.owner, `${at}?order_by=relative_position&sort=asc`)).toEqual([2, 1])
})

test('neighbours that are unknown, hidden, elsewhere or the issue itself are refused', async () => {
  const { at, idOf, project } = await ordered(2)
  const group = await server.make.group('elsewhere', people.owner)
  const other = await projectWithMembers(server, { people, path: 'elsewhere', namespace: group })
  const foreign = await createdIssue(people.owner, other.project)
  const hidden = await projectWithMembers(server, { path: 'hidden' })
  const secret = await createdIssue(hidden.owner, hidden.project)
  for (const id of [99_999_999, secret.id, foreign.id, idOf(1)]) {
    const { status, body } = await people.reporter.put(`${at}/1/reorder`, { move_after_id: id })
    expect([status, body]).toEqual([422, { message: { error: 'Unprocessable Entity' } }])
  }
  const none = await people.reporter.put(`${at}/1/reorder`, {})
  expect(none.body.error).toBe('move_after_id, move_before_id are missing, at least one parameter must be provided')
  expect((await people.guest.put(`${at}/1/reorder`, { move_after_id: idOf(2) })).status).toBe(403)
  const unknown = await people.reporter.put(`${at}/99/reorder`, { move_after_id: idOf(2) })
  expect([unknown.status, unknown.body]).toEqual([404, { message: '404 Issue Not Found' }])
  expect(await iidsAt(people.owner, `${issuesOf(project)}?order_by=relative_position&sort=asc`)).toEqual([1, 2])
})
