/** Which names and addresses an account may take. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { userById } from '../store.ts'
import { duplicateError, type Naming, namingProblems, requireFreeNames } from './rules.ts'

let server: TestServer
let ada: Person
let bea: Person
beforeAll(async () => {
  server = await startTestServer()
  ada = await server.user('ada')
  bea = await server.user('bea')
  await server.make.group('taken-group', ada)
  for (const person of [ada, bea]) {
    const email = `second-${person.username}@example.com`
    const added = await server.root.post(`/users/${person.id}/emails`, { email, skip_confirmation: true })
    expect(added.status).toBe(201)
  }
})
afterAll(() => server.stop())

const taken = 'has already been taken'
const emailTaken = 'Email has already been taken'
const usernameTaken = 'Username has already been taken'

test.each<[wanted: Naming, whenNew: string | null, asAda: string | null]>([
  [{ email: 'new@example.com', username: 'new' }, null, null],
  [{}, null, null],
  [{ email: 'ada@example.com' }, emailTaken, null],
  [{ email: 'ADA@example.com' }, emailTaken, null],
  [{ email: 'bea@example.com' }, emailTaken, emailTaken],
  [{ email: 'second-ada@example.com' }, emailTaken, null],
  [{ email: 'second-bea@example.com' }, emailTaken, emailTaken],
  [{ username: 'ada' }, usernameTaken, null],
  [{ username: 'ADA' }, usernameTaken, null],
  [{ username: 'Bea' }, usernameTaken, usernameTaken],
  [{ username: 'taken-group' }, usernameTaken, usernameTaken],
  [{ email: 'bea@example.com', username: 'bea' }, emailTaken, emailTaken],
])('%j: a new account %s, ada %s', async (wanted, whenNew, asAda) => {
  const { read } = server.app.platform.database
  const before = await userById(read, ada.id)
  if (!before) throw new Error('there is no ada')
  const refusal = async (own?: typeof before) => {
    const error = await requireFreeNames(read, wanted, own).catch((caught) => caught)
    return error ? [error.status, error.body.message] : null
  }
  expect(await refusal()).toEqual(whenNew && [409, whenNew])
  expect(await refusal(before)).toEqual(asAda && [409, asAda])
  const problems = async (own?: typeof before) => {
    const { email = [], username = [] } = await namingProblems(read, wanted, own)
    return [email, username].map((one) => one.includes(taken))
  }
  const expected = (text: string | null) => [
    text === emailTaken,
    Boolean(text) && wanted.username !== undefined && wanted.username !== 'new',
  ]
  expect(await problems()).toEqual(expected(whenNew))
  expect(await problems(before)).toEqual(expected(asAda))
})

test('names that are given are checked, the own username is not', async () => {
  const { read } = server.app.platform.database
  const row = await userById(read, ada.id)
  if (!row) throw new Error('there is no ada')
  const before = { ...row, username: 'a' }
  expect(await namingProblems(read, {})).toEqual({ email: [], name: [], username: [] })
  const wrong = { email: 'x', name: 'n'.repeat(256), username: 'a' }
  expect(await namingProblems(read, wrong)).toEqual({
    email: ['is invalid'],
    name: ['is too long (maximum is 255 characters)'],
    username: ['is too short (minimum is 2 characters)'],
  })
  expect((await namingProblems(read, wrong, before)).username).toEqual([])
  expect((await namingProblems(read, { username: 'b' }, before)).username).not.toEqual([])
})

test('two requests at once are told which of their names was taken', async () => {
  const { database } = server.app.platform
  const violation = (values: object) =>
    database
      .write((tx) => tx.updateTable('users').set(values).where('id', '=', bea.id).execute())
      .then(
        () => null,
        (error: unknown) => duplicateError(error),
      )
  expect(await violation({ email: 'ada@example.com' })).toMatchObject({ status: 409, body: { message: emailTaken } })
  expect(await violation({ username: 'ada' })).toMatchObject({ status: 409, body: { message: usernameTaken } })
  const other = new Error('other')
  expect(duplicateError(other)).toBe(other)
})
