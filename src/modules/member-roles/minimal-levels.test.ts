import { expect, test } from 'vitest'
import { startTestServer } from '../../testing/index.ts'

test('lists by a minimal level compare the base level of a member role, whatever the role permits', async () => {
  await using server = await startTestServer()
  const [owner, member] = [await server.user('owner'), await server.user('member')]
  const group = await server.make.group('levels', owner)
  const project = await server.make.project('app', owner, { namespace: group })
  const given = {
    name: 'Much',
    base_access_level: 20,
    admin_web_hook: true,
    admin_push_rules: true,
    remove_project: true,
  }
  const { body: role } = await owner.post(`/groups/${group.id}/member_roles`, given)
  const membership = { user_id: member.id, access_level: 20, member_role_id: role.id }
  expect((await owner.post(`/groups/${group.id}/members`, membership)).status).toBe(201)
  expect((await member.get(`/projects/${project.id}/hooks`)).status).toBe(200)

  const idsOf = async (path: string) => {
    const { status, body } = await member.get(path)
    expect([path, status]).toEqual([path, 200])
    return body.map(({ id }: { id: number }) => id)
  }
  const lists = [
    ['/projects', project.id],
    [`/groups/${group.id}/projects`, project.id],
    ['/groups', group.id],
  ] as const
  for (const [path, id] of lists) {
    expect([path, await idsOf(`${path}?min_access_level=20`)]).toEqual([path, [id]])
    for (const level of [30, 40, 50]) {
      expect([path, level, await idsOf(`${path}?min_access_level=${level}`)]).toEqual([path, level, []])
    }
    expect([path, await idsOf(`${path}?owned=true`)]).toEqual([path, []])
  }
  const own = await member.get('/personal_access_tokens/self/associations?min_access_level=30')
  expect(own).toMatchObject({ status: 200, body: { groups: [], projects: [] } })
})
