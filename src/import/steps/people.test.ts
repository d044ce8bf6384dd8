import { expect, test } from 'vitest'
import { type Answer, contextFor, startFake } from '../testing.ts'

/** The accounts of user 1 of a source that gives these answers, one for each question. */
async function accountsOf(answers: readonly Answer[], asked: number) {
  const left = [...answers]
  await using source = await startFake(() => left.shift() ?? { status: 500 })
  const account = { id: 7, username: 'here', email: 'One@Example.com' }
  await using target = await startFake(() => ({
    body: [{ id: 6, username: 'other', email: 'x@example.com' }, account],
  }))
  const { people } = contextFor({ source: source.url, target: target.url })
  const found: unknown[] = []
  for (let count = 0; count < asked; count += 1) {
    found.push(await people.of({ id: 1 }).catch((error: Error) => error.name))
  }
  return { found, questions: source.received.length + target.received.length }
}

test('the account with the same address is looked for once', async () => {
  const { found, questions } = await accountsOf([{ body: { email: 'one@example.com' } }], 3)
  expect(found).toEqual(Array(3).fill({ id: 7, username: 'here' }))
  expect(questions).toBe(2)
})

test.each(['no address', `${'@'.repeat(400)}x`, ''])(
  'an address that is none belongs to no account: %j',
  async (email) => {
    expect(await accountsOf([{ body: { email } }], 2)).toEqual({ found: [null, null], questions: 1 })
  },
)

test('a question that failed is asked again', async () => {
  const damaged = { body: 'no JSON' }
  const { found } = await accountsOf([damaged, { body: { email: 'one@example.com' } }], 2)
  expect(found).toEqual(['NotBrought', { id: 7, username: 'here' }])
})
