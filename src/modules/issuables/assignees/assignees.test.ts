import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** A group with a project in it and below it, and one elsewhere; the same two users are assigned in each of them. */
async function world(name: string) {
  const [owner, leaving, staying] = await Promise.all([
    server.user(`${name}-owner`),
    server.user(`${name}-leaving`),
    server.user(`${name}-staying`),
  ])
  const group = await server.make.group(`${name}-group`, owner)
  const below = await server.make.group(`${name}-below`, owner, { parent: group })
  const projects = {
    inside: await server.make.project(`${name}-inside`, owner, { namespace: group }),
    deep: await server.make.project(`${name}-deep`, owner, { namespace: below }),
    elsewhere: await server.make.project(`${name}-elsewhere`, owner),
  }
  const { database } = server.app.platform
  const issues = new Map<string, { path: string; updated_at: string }>()
  for (const [place, project] of Object.entries(projects)) {
    for (const person of [leaving, staying]) await server.make.member({ project }, person, 30)
    const assignee_ids = [leaving.id, staying.id]
    const { status, body } = await owner.post(`/projects/${project.id}/issues`, { title: 'An issue', assignee_ids })
    expect(status).toBe(201)
    issues.set(place, { path: `/projects/${project.id}/issues/${body.iid}`, updated_at: body.updated_at })
    const request = { issuable_type: 'MergeRequest' as const, issuable_id: project.id, project_id: project.id }
    const rows = assignee_ids.map((user_id, position) => ({ ...request, group_id: null, user_id, position }))
    await database.write((tx) => tx.insertInto('issuable_assignees').values(rows).execute())
  }
  /** In which projects the user who leaves is assigned: to the issue, and to the merge request. */
  async function assigned() {
    const found: Record<string, [boolean, boolean]> = {}
    for (const [place, { path, updated_at }] of issues) {
      const { body } = await owner.get(path)
      const ids: number[] = body.assignees.map(({ id }: { id: number }) => id)
      const rows = await database.read
        .selectFrom('issuable_assignees')
        .select('user_id')
        .where('issuable_type', '=', 'MergeRequest')
        .where('project_id', '=', projects[place as keyof typeof projects].id)
        .execute()
      const ofRequest = rows.map(({ user_id }) => user_id)
      expect([ids.includes(staying.id), ofRequest.includes(staying.id)]).toEqual([true, true])
      // The loss of an assignee is no change of the issue here.
      expect(body.updated_at).toBe(updated_at)
      found[place] = [ids.includes(leaving.id), ofRequest.includes(leaving.id)]
    }
    return found
  }
  return { owner, leaving, group, projects, assigned }
}

const yes = [true, true]
const no = [false, false]

test('a member who leaves a project stays assigned, unless unassign_issuables is set', async () => {
  const { owner, leaving, projects, assigned } = await world('of-project')
  const member = (place: 'inside' | 'deep') => `/projects/${projects[place].id}/members/${leaving.id}`
  expect((await owner.delete(member('deep'))).status).toBe(204)
  expect((await owner.delete(`${member('inside')}?unassign_issuables=true`)).status).toBe(204)
  expect(await assigned()).toEqual({ inside: no, deep: yes, elsewhere: yes })
})

test('a member who leaves a group is unassigned in all projects below it', async () => {
  const { owner, leaving, group, assigned } = await world('of-group')
  await server.make.member({ namespace: group }, leaving, 30)
  const member = `/groups/${group.id}/members/${leaving.id}`
  expect((await owner.delete(`${member}?unassign_issuables=false`)).status).toBe(204)
  expect(await assigned()).toEqual({ inside: yes, deep: yes, elsewhere: yes })
  await server.make.member({ namespace: group }, leaving, 30)
  expect((await leaving.delete(`${member}?unassign_issuables=true`)).status).toBe(204)
  expect(await assigned()).toEqual({ inside: no, deep: no, elsewhere: yes })
})
