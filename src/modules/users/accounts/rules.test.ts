import { describe, expect, test } from 'vitest'
import { defaultsOf, instanceDefinitions } from '../../../platform/settings/index.ts'
import { passwordProblems } from './names.ts'
import type { UserChanges } from './params.ts'
import { identityOf, requireValid } from './rules.ts'

const address = { email: 'Own@a.test', confirmed: true }

/** The problems of a user, who has a confirmed secondary address. */
function problemsOf(input: UserChanges, confirmed = true): object | null {
  try {
    requireValid(input, {
      password: defaultsOf(instanceDefinitions()),
      address: { ...address, confirmed },
      secondary: ['second@a.test'],
    })
    return null
  } catch (error) {
    const { status, body } = error as { status: number; body: { message: object } }
    expect(status).toBe(400)
    return body.message
  }
}

describe('the values of a user', () => {
  const tooLong = ['is too long (maximum is 255 characters)']
  test.each<[UserChanges, object | null]>([
    [{}, null],
    [{ email: 'a@b.test', name: 'A', username: 'someone', password: 'korrekt-horse-9' }, null],
    [{ email: 'nobody' }, { email: ['is invalid'] }],
    [{ name: 'x'.repeat(255) }, null],
    [{ name: 'x'.repeat(256) }, { name: tooLong }],
    [{ username: 'x' }, { username: ['is too short (minimum is 2 characters)'] }],
    [{ password: 'k9-horse' }, null],
    [{ password: 'k9-hors' }, { password: ['is too short (minimum is 8 characters)'] }],
    [{ auditor: true }, { auditor: ['is not supported'] }],
    [{ auditor: false }, null],
    [{ job_title: 'x'.repeat(256) }, { job_title: tooLong }],
  ])('%#: %j', (input, problems) => expect(problemsOf(input)).toEqual(problems))
})

test('a password has what the settings demand, in any alphabet', () => {
  const rules = {
    ...defaultsOf(instanceDefinitions()),
    password_number_required: true,
    password_symbol_required: true,
    password_uppercase_required: true,
    password_lowercase_required: true,
  }
  expect(passwordProblems('harbour lights', rules)).toEqual([
    'must contain at least one number',
    'must contain at least one symbol',
    'must contain at least one uppercase letter',
  ])
  expect(passwordProblems('7 HARBOURS-', rules)).toEqual(['must contain at least one lowercase letter'])
  expect(passwordProblems('Änderung-٣x', rules)).toEqual([])
  expect(passwordProblems('harbour lights', { ...rules, ...defaultsOf(instanceDefinitions()) })).toEqual([])
})

describe('an address that others see or that commits carry', () => {
  const foreign = ['is not an email you own']
  test.each<[string | null, boolean, boolean]>([
    ['own@a.test', true, true],
    ['OWN@A.TEST', true, true],
    ['Second@a.test', true, true],
    ['other@a.test', false, false],
    ['', true, true],
    [null, true, true],
    // The private address can be that of commits only.
    ['_private', false, true],
  ])('%s: public %s, of commits %s', (text, asPublic, ofCommits) => {
    const expected = (name: string, isOwn: boolean) => (isOwn ? null : { [name]: foreign })
    expect(problemsOf({ public_email: text } as UserChanges)).toEqual(expected('public_email', asPublic))
    expect(problemsOf({ commit_email: text } as UserChanges)).toEqual(expected('commit_email', ofCommits))
  })

  test('is not an address that is not confirmed', () => {
    expect(problemsOf({ public_email: 'own@a.test' }, false)).toEqual({ public_email: foreign })
    expect(problemsOf({ commit_email: 'second@a.test' }, false)).toBeNull()
  })
})

test('an identity has a provider and an id', () => {
  expect(identityOf({})).toBeUndefined()
  expect(identityOf({ provider: '', extern_uid: '' })).toBeUndefined()
  expect(identityOf({ provider: 'p', extern_uid: 'x' })).toEqual({ provider: 'p', externUid: 'x' })
  const text = 'provide all or none of parameters'
  for (const given of [{ provider: 'p' }, { extern_uid: 'x' }]) {
    expect(() => identityOf(given)).toThrow(
      expect.objectContaining({
        status: 400,
        body: { message: { extern_uid: [text], provider: [text] }, error: `extern_uid, provider ${text}` },
      }),
    )
  }
})
