/** Which users an external user knows (contract 20 R9). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { userById } from '../../store.ts'
import { isKnownToExternal } from './visibility.ts'

let server: TestServer
const people: Record<string, Person> = {}
const today = '2026-03-01'

/** Someone who is a member of a group or a project, until a day. */
async function member(name: string, place: object, until: string | null = null): Promise<Person> {
  const person = people[name] ?? (await server.user(name))
  people[name] = person
  const { database } = server.app.platform
  const row = { user_id: person.id, access_level: 30, created_at: '2026-01-01T00:00:00.000Z', expires_at: until }
  await database.write((tx) =>
    tx
      .insertInto('members')
      .values({ ...row, ...place } as never)
      .execute(),
  )
  return person
}

const inGroup = ({ id }: { id: number }) => ({ namespace_id: id })
const inProject = ({ id }: { id: number }) => ({ project_id: id })

beforeAll(async () => {
  server = await startTestServer()
  const { make } = server
  const founder = await server.user('founder')
  const host = await server.user('host')
  people.host = host
  const top = await make.group('top', founder)
  const mid = await make.group('mid', founder, { parent: top })
  const low = await make.group('low', founder, { parent: mid })
  const side = await make.group('side', founder, { parent: top })
  const projects = {
    ofTop: await make.project('of-top', founder, { namespace: top }),
    ofMid: await make.project('of-mid', founder, { namespace: mid }),
    ofLow: await make.project('of-low', founder, { namespace: low }),
    ofHost: await make.project('of-host', host),
    otherOfHost: await make.project('other-of-host', host),
  }
  for (const [name, group] of Object.entries({ top, mid, low, side })) await member(`in_${name}`, inGroup(group))
  for (const [name, project] of Object.entries(projects)) await member(`in_${name}`, inProject(project))
  await member('of_group', inGroup(mid))
  await member('of_project', inProject(projects.ofLow))
  await member('of_personal', inProject(projects.ofHost))
  await member('until_today', inGroup(mid), today)
  await member('until_tomorrow', inGroup(mid), '2026-03-02')
  people.of_none = await server.user('of_none')
})
afterAll(() => server.stop())

const ofMid = ['in_top', 'in_mid', 'in_low', 'in_ofMid', 'in_ofLow', 'of_group', 'of_project', 'until_today']

test.each<[external: string, known: string[]]>([
  ['of_group', [...ofMid, 'until_tomorrow']],
  ['until_tomorrow', [...ofMid, 'until_tomorrow']],
  ['until_today', ['until_today']],
  ['of_project', ['in_top', 'in_mid', 'in_low', 'in_ofLow', 'of_group', 'of_project', 'until_today', 'until_tomorrow']],
  ['of_personal', ['in_ofHost', 'of_personal', 'host']],
  ['of_none', ['of_none']],
])('the external user %s knows those of the same groups and projects', async (external, known) => {
  const { read } = server.app.platform.database
  const found: string[] = []
  for (const [name, { id }] of Object.entries(people)) {
    const user = await userById(read, id)
    if (user && (await isKnownToExternal(read, user, people[external]?.id ?? 0, today))) found.push(name)
  }
  expect(found.toSorted()).toEqual(known.toSorted())
})
