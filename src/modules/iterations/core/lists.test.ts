import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { makeIteration } from '../testing.ts'

let server: TestServer
let owner: Person
let guest: Person
let projectGuest: Person
let paths: Record<'top' | 'group' | 'project' | 'personal', string>
let group: NamespaceRow

const day = (days: number) => dayAfter(server.app.platform.clock.now(), days)
const make = (of: { id: number }, title: string | null, from: number, to: number) =>
  makeIteration(server, of, { start_date: day(from), due_date: day(to) }, { title })

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  guest = await server.user('guest')
  projectGuest = await server.user('project-guest')
  const top = await server.make.group('top', owner)
  group = await server.make.group('group', owner, { parent: top })
  const below = await server.make.group('below', owner, { parent: group })
  const project = await server.make.project('demo', owner, { namespace: group })
  const personal = await server.make.project('personal', owner)
  await server.make.member({ namespace: top }, guest, 10)
  await server.make.member({ project }, projectGuest, 10)
  paths = {
    top: `/groups/${top.id}/iterations`,
    group: `/groups/${group.id}/iterations`,
    project: `/projects/${project.id}/iterations`,
    personal: `/projects/${personal.id}/iterations`,
  }
  await make(top, 'top', -3, 3)
  await make(group, 'past', -20, -10)
  await make(group, 'now', -5, 0)
  await make(group, null, 1, 7)
  await make(below, 'below', 9, 12)
})
afterAll(() => server.stop())

const titles = async (of: keyof typeof paths, query = '', person = guest) =>
  (await person.get(`${paths[of]}?${query}`)).body.map(({ title }: { title: string | null }) => title)

describe('a list of iterations', () => {
  test('has those of the group and of the groups above, by their first day', async () => {
    for (const below of ['group', 'project'] as const) {
      expect(await titles(below)).toEqual(['past', 'now', 'top', null])
      expect(await titles(below, 'include_ancestors=false')).toEqual(['past', 'now', null])
      expect(await titles(below, 'include_descendants=true')).toEqual(['past', 'now', 'top', null, 'below'])
      expect(await titles(below, 'per_page=2&page=2')).toEqual(['top', null])
    }
    expect(await titles('top')).toEqual(['top'])
    expect(await titles('personal', '', owner)).toEqual([])
  })

  test('does not show iterations below the group to members of the project alone', async () => {
    expect(await titles('project', 'include_descendants=true', projectGuest)).toEqual(['past', 'now', 'top', null])
    // They see the group, and have no role in it (contract 21, R3).
    expect((await projectGuest.get(paths.group)).status).toBe(403)
    expect(await titles('project', 'include_descendants=true', server.root as Person)).toHaveLength(5)
  })

  test.each([
    ['state=opened', ['now', 'top', null]],
    ['state=upcoming', [null]],
    ['state=current', ['now', 'top']],
    ['state=started', ['now', 'top']],
    ['state=closed', ['past']],
    ['state=all', ['past', 'now', 'top', null]],
    ['search=NO', ['now']],
    ['search=cadence', []],
    ['search=cadence&in=cadence_title', ['past', 'now', 'top', null]],
    ['search=now&in[]=title&in[]=cadence_title', ['now']],
    ['search=now&in[]=cadence_title', []],
    ['search=%25', []],
    ['updated_after=2999-01-01', []],
    ['updated_before=2000-01-01', []],
    ['updated_before=2999-01-01&updated_after=2000-01-01&state=closed', ['past']],
  ])('is filtered by %s', async (query, expected) => {
    expect(await titles('group', query)).toEqual(expected)
  })

  test.each([
    ['state=open', 'state does not have a valid value'],
    ['in[]=description', 'in[0] does not have a valid value'],
    ['updated_after=x', 'updated_after is invalid'],
  ])('refuses %s', async (query, error) => {
    expect(await guest.get(`${paths.group}?${query}`)).toMatchObject({ status: 400, body: { error } })
  })

  test('is for members', async () => {
    const open = await server.make.group('open', owner, { visibility: 'public' })
    const outsider = await server.user('outsider')
    expect((await outsider.get(`/groups/${open.id}/iterations`)).status).toBe(403)
    expect((await server.anonymous.get(`/groups/${open.id}/iterations`)).status).toBe(401)
    expect((await guest.post(paths.top, { start_date: day(20), due_date: day(21) })).status).toBe(403)
  })

  test('takes the same number of queries for any length', async () => {
    const ask = () => guest.get(`${paths.project}?per_page=100&include_descendants=true&search=a&in=cadence_title`)
    const before = await queriesOf(server, ask)
    for (let index = 0; index < 20; index += 1) await make(group, `more ${index}`, 100 + index, 100 + index)
    expect((await ask()).body).toHaveLength(25)
    expect(await queriesOf(server, ask)).toBe(before)
  })
})
