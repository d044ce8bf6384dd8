import { beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { browserOf, formOf } from './testing.ts'

let server: TestServer
let owner: Person
let member: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owning')
  member = await server.user('taking-part')
  const team = await server.make.group('team', owner)
  const sub = await server.make.group('sub', owner, { parent: team })
  const guests = await server.make.group('guests', await server.user('invited'))
  const project = await server.make.project('app', owner, { namespace: sub })
  await server.make.member({ project }, member, 30)
  await server.root.post(`/groups/${team.id}/share`, { group_id: guests.id, group_access: 30 })
  return () => server[Symbol.asyncDispose]()
})

const list = '/groups/team/-/billable_members'

test('billable members are listed for owners of a top-level group, and removed where they are members', async () => {
  const browser = await browserOf(server, owner)
  expect((await browser.get('/groups/team')).html).toContain(`href="${list}"`)
  expect((await browser.get('/groups/team/sub')).html).not.toContain('billable_members')
  const { status, html } = await browser.get(list)
  expect(status).toBe(200)
  for (const text of ['owning', 'taking-part', 'invited', 'Membership of a project', 'Group that was invited']) {
    expect(html).toContain(text)
  }
  // Neither the last owner nor those of the group that was invited.
  const removals = [...html.matchAll(new RegExp(`href="${list}/(\\d+)/delete"`, 'g'))].map(([, id]) => Number(id))
  expect(removals).toEqual([member.id])
  const one = await browser.get(`${list}/${member.id}`)
  expect(one.html).toContain(`href="${list}/${member.id}/memberships"`)
  const memberships = await browser.get(`${list}/${member.id}/memberships`)
  expect(memberships.html).toContain('Developer')
  expect(memberships.html).toContain('team / sub / app')
  const asked = await browser.get(`${list}/${member.id}/delete`)
  expect((await browser.send(formOf(asked.html, 'billable_members.delete'))).status).toBe(303)
  expect((await browser.get(list)).html).not.toContain('taking-part')
})

test('others are not led to them', async () => {
  const maintainer = await server.user('maintaining')
  await server.root.post('/groups/team/members', { user_id: maintainer.id, access_level: 40 })
  const browser = await browserOf(server, maintainer)
  expect((await browser.get('/groups/team')).html).not.toContain('billable_members')
  expect((await browser.get(list)).status).toBeGreaterThanOrEqual(400)
})
