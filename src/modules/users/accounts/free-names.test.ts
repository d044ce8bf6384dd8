import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { userById } from '../store.ts'
import { type Naming, namingProblems, requireFreeNames } from './rules.ts'

let server: TestServer
let carol: Person
beforeAll(async () => {
  server = await startTestServer()
  carol = await server.user('_carol')
  expect((await carol.post('/user/emails', { email: 'second@example.com' })).status).toBe(201)
  await server.make.group('some-group', carol)
  const bot = await server.user('some-bot')
  // The bots of projects have no namespace.
  const { database } = server.app.platform
  await database.write(async (tx) => {
    await tx.updateTable('users').set({ bot_kind: 'project_bot' }).where('id', '=', bot.id).execute()
    await tx.deleteFrom('namespaces').where('owner_id', '=', bot.id).execute()
  })
})
afterAll(() => server.stop())

const reader = () => server.app.platform.database.read
const carolRow = async () => (await userById(reader(), carol.id)) ?? undefined

const taken = ['has already been taken']
const strict = [
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with " +
    "'-', '_', '.', '.git', or '.atom'.",
]

describe('what is wrong with names and addresses of managed accounts', () => {
  test.each<[Naming, object]>([
    [{}, {}],
    [{ email: 'x' }, { email: ['is invalid'] }],
    [{ email: 'SECOND@example.com' }, { email: taken }],
    [{ name: ' ' }, { name: ["can't be blank"] }],
    [{ name: 'Carol', username: 'carol', email: 'carol@example.com' }, {}],
    [{ username: '_other' }, { username: strict }],
    [{ username: '_CAROL' }, { username: [...strict, ...taken] }],
    [{ username: 'Some-Group' }, { username: taken }],
    [{ username: 'Some-Bot' }, { username: taken }],
  ])('of a new one: %j: %j', async (wanted, problems) => {
    expect(await namingProblems(reader(), wanted)).toEqual({ email: [], name: [], username: [], ...problems })
  })

  test.each<[Naming, object]>([
    [{ username: '_carol', email: 'second@example.com' }, {}],
    // Only a name that stays as it is may break the stricter rule.
    [{ username: '_Carol' }, { username: strict }],
    [{ username: 'some-bot' }, { username: taken }],
    [{ email: 'some-bot@example.com' }, { email: taken }],
  ])('of a changed one: %j: %j', async (wanted, problems) => {
    const found = await namingProblems(reader(), wanted, await carolRow())
    expect(found).toEqual({ email: [], name: [], username: [], ...problems })
  })
})

test.each<[Naming, string]>([
  [{ email: 'second@example.com', username: 'some-bot' }, 'Email has already been taken'],
  [{ email: 'free@example.com', username: 'some-bot' }, 'Username has already been taken'],
  [{ email: 'free@example.com', username: 'some-group' }, 'Username has already been taken'],
])('%j is not free: %s', async (wanted, message) => {
  await expect(requireFreeNames(reader(), wanted)).rejects.toMatchObject({ status: 409, body: { message } })
})
