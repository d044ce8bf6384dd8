import { expect, test } from 'vitest'
import { startTestServer } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { browserOf, formOf } from '../testing.ts'
import { hostile } from '../walks-testing.ts'

test('owners choose the member role of members and invitations among those that the group and the instance have', async () => {
  await using server = await startTestServer()
  const [owner, maintainer, member] = [await server.user('o'), await server.user('m'), await server.user('u')]
  const group = await server.make.group('team', owner)
  const project = await server.make.project('app', owner, { namespace: group })
  const other = await server.make.group('other', owner)
  await server.make.member({ project }, maintainer, 40)
  const given = { base_access_level: 10, read_code: true }
  const role = (await owner.post(`/groups/${group.id}/member_roles`, { ...given, name: hostile })).body
  const instance = { base_access_level: 30, admin_push_rules: true, name: 'Rules' }
  const common = (await server.root.post('/member_roles', instance)).body
  await owner.post(`/groups/${other.id}/member_roles`, { ...given, name: 'Foreign' })
  const [browser, ofMaintainer] = [await browserOf(server, owner), await browserOf(server, maintainer)]

  const choicesOf = async (path: string, operation: string, by = browser) => {
    const { html, status } = await by.get(path)
    expect([path, status, html.includes('<script>alert')]).toEqual([path, 200, false])
    const [, options] =
      /<select[^>]*name="member_role_id"[^>]*>([\s\S]*?)<\/select>/.exec(formOf(html, operation).html) ?? []
    return options?.match(/<option[\s\S]*?<\/option>/g)?.map((one) => readText(one.replace(/<[^>]*>/g, '')).trim())
  }
  const expected = ['Default', `${hostile} (Guest)`, 'Rules (Developer)']
  for (const [path, operation] of [
    ['/groups/team/-/group_members/new', 'group_members.add'],
    ['/groups/team/-/invitations/new', 'group_invitations.create'],
    ['/team/app/-/project_members/new', 'project_members.add'],
    ['/team/app/-/invitations/new', 'project_invitations.create'],
  ] as const) {
    expect([path, await choicesOf(path, operation)]).toEqual([path, expected])
  }
  const asMaintainer = await ofMaintainer.get('/team/app/-/project_members/new')
  const fields = formOf(asMaintainer.html, 'project_members.add').fields.map(({ name }) => name)
  expect(fields).toContain('access_level')
  expect(fields).not.toContain('member_role_id')

  const send = async (path: string, operation: string, values: Record<string, string>) =>
    (await browser.send(formOf((await browser.get(path)).html, operation), values)).status
  const current = async () => (await owner.get(`/projects/${project.id}/members/${member.id}`)).body
  const add = { username: 'u', access_level: '10' }
  const at = '/team/app/-/project_members'
  expect(await send(`${at}/new`, 'project_members.add', { ...add, member_role_id: String(common.id) })).toBe(400)
  expect(await send(`${at}/new`, 'project_members.add', { ...add, member_role_id: String(role.id) })).toBe(303)
  expect(await current()).toMatchObject({ access_level: 10, member_role: { id: role.id } })
  expect((await browser.get(at)).html).toContain('&lt;script&gt;')

  const page = `${at}/${member.id}`
  const shown = formOf((await browser.get(page)).html, 'project_members.update').fields
  expect(shown.find(({ name }) => name === 'member_role_id')?.value).toBe(String(role.id))
  expect(await send(page, 'project_members.update', { expires_at: '2099-01-01' })).toBe(303)
  expect((await current()).member_role).toMatchObject({ id: role.id })
  expect(await send(page, 'project_members.update', { member_role_id: '' })).toBe(303)
  expect(await current()).toMatchObject({ access_level: 10, member_role: null, expires_at: '2099-01-01' })
})
