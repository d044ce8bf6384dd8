import { expect, test } from 'vitest'
import { anonymous, type UserActor } from '../../../api/index.ts'
import { certificateOf, type GitCaller, isAnonymous, jobOf, nameOf, scopesOf } from './callers.ts'
import { sentenceOf, sentences } from './refusals.ts'

const scopes = new Set(['api'])
const user = { kind: 'user', userId: 7, credential: { kind: 'personal', id: 1, scopes } } as unknown as UserActor
const job: UserActor = { ...user, credential: { ...user.credential, projectId: 9 } }
const certificate = { held: { authorityId: 1, keyId: 'k', validBefore: 2 }, groupId: 3 }
const token = { kind: 'deploy_token', id: 4, projectId: null, namespaceId: null, scopes } as const

const cases: [what: string, caller: GitCaller, expected: object][] = [
  ['an anonymous caller', { kind: 'actor', actor: anonymous }, { isAnonymous: true, scopes: null, name: undefined }],
  ['a user', { kind: 'actor', actor: user }, { scopes, name: 'user-7' }],
  ['a job', { kind: 'actor', actor: job }, { scopes, name: 'user-7', job: { actor: job, projectId: 9 } }],
  ['a certificate', { kind: 'actor', actor: user, certificate }, { scopes, name: 'user-7', certificate }],
  ['a deploy key', { kind: 'deploy_key', keyId: 5, ownerId: 7 }, { scopes: null, name: 'key-5' }],
  ['a deploy token of a project', { ...token, projectId: 8 }, { scopes, name: 'deploy-token-8-' }],
  ['a deploy token of a group', { ...token, namespaceId: 6 }, { scopes, name: 'deploy-token--6' }],
]

test.each(cases)('%s differs from other callers', (_what, caller, expected) => {
  const facts = {
    isAnonymous: isAnonymous(caller),
    scopes: scopesOf(caller),
    name: nameOf(caller),
    job: jobOf(caller),
    certificate: certificateOf(caller),
  }
  expect(facts).toEqual({ isAnonymous: false, job: null, certificate: null, ...expected })
})

test('a refusal has its own sentence, or that of a missing project', () => {
  expect(sentenceOf({ kind: 'forbidden', sentence: 'No.' })).toBe('No.')
  expect(sentenceOf({ kind: 'not_found' })).toBe(sentences.notFound)
  expect(sentenceOf({ kind: 'credentials' })).toBe(sentences.notFound)
})
