import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../api/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import { defaultVisibility, requireAllowed, requireLengths } from './rules.ts'

const settings = (given: object = {}) =>
  ({
    snippet_size_limit: 300,
    restricted_visibility_levels: [],
    default_snippet_visibility: 'internal',
    ...given,
  }) as unknown as InstanceSettings
const person = { kind: 'user', userId: 1, administrator: false } as unknown as Actor
const platformOf = (...offerings: string[]) => ({ config: { edition: { offerings } } }) as never
const [own, hosted] = [platformOf('self_managed', 'hosted'), platformOf('hosted')]

function refusalOf(work: () => void): unknown {
  try {
    work()
    return null
  } catch (error) {
    const { status, body } = error as { status: number; body: { message: { error: string } } }
    return [status, body.message.error]
  }
}

describe('the texts of a snippet', () => {
  const none = { paths: [], contents: [] }
  const long = 'x'.repeat(256)
  const tooLong = (name: string) => `${name} is too long (maximum is 255 characters)`
  const tooLarge = (name: string, is: string, most: string) =>
    `${name} is too long (${is}). The maximum size is ${most}.`
  test.each([
    [{ ...none }, null],
    [{ ...none, title: long.slice(1), paths: [long.slice(1)], contents: ['x'.repeat(300), 'é'.repeat(150)] }, null],
    [{ ...none, title: long }, tooLong('Title')],
    [{ ...none, paths: [long, 'a', long] }, tooLong('File name')],
    [{ ...none, contents: ['x'.repeat(301)] }, tooLarge('Content', '301 Bytes', '300 Bytes')],
    [{ ...none, contents: [`é${'x'.repeat(299)}`] }, tooLarge('Content', '301 Bytes', '300 Bytes')],
    [{ ...none, description: 'x'.repeat(2 ** 20) }, null],
    [{ ...none, description: 'x'.repeat(2 ** 20 + 2 ** 10) }, expect.stringMatching(/^Description is too long/)],
    [{ title: long, paths: [long], contents: [] }, `${tooLong('Title')}, ${tooLong('File name')}`],
  ])('%#', (texts, message) => {
    const refusal = refusalOf(() => requireLengths(texts, settings()))
    if (message === null) expect(refusal).toBeNull()
    else expect(refusal).toEqual([400, message])
  })
})

test('the level of a setting is used where the caller may use it', () => {
  expect(defaultVisibility(own, person, settings())).toBe('internal')
  expect(defaultVisibility(hosted, person, settings())).toBe('private')
  expect(defaultVisibility(own, person, settings({ restricted_visibility_levels: ['internal'] }))).toBe('private')
  expect(defaultVisibility(hosted, person, settings({ default_snippet_visibility: 'public' }))).toBe('public')
})

test('restricted levels are for administrators, and `internal` is for nobody where the offering has it not', () => {
  const allowed = (platform: never, visibility: 'public' | 'internal' | 'private', restricted: string[] = []) =>
    refusalOf(() =>
      requireAllowed(platform, visibility, person, settings({ restricted_visibility_levels: restricted })),
    ) === null
  expect(allowed(own, 'public')).toBe(true)
  expect(allowed(own, 'public', ['public'])).toBe(false)
  expect(allowed(own, 'private', ['public', 'internal'])).toBe(true)
  const administrator = { ...person, administrator: true } as Actor
  const restricted = settings({ restricted_visibility_levels: ['public'] })
  expect(refusalOf(() => requireAllowed(own, 'public', administrator, restricted))).toBeNull()
  expect([allowed(own, 'internal'), allowed(hosted, 'internal'), allowed(hosted, 'public')]).toEqual([
    true,
    false,
    true,
  ])
})
