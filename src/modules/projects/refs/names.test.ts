import { expect, test } from 'vitest'
import { parseOid, type RefName, zeroOid } from '../../../infra/git/index.ts'
import { namingRule, refusalOfName } from './rules.ts'

const oid = parseOid('1'.repeat(40)) ?? zeroOid()
const created = (ref: string) => ({ ref: ref as RefName, old: zeroOid(), new: oid })
const changed = (ref: string) => ({ ref: ref as RefName, old: oid, new: oid })
const absent = (ref: string) => ({ ref: ref as RefName, old: zeroOid(), new: zeroOid() })
const deleted = (ref: string) => ({ ref: ref as RefName, old: oid, new: zeroOid() })

const hexadecimal = (length: number) => `You cannot create a branch with a ${length}-character hexadecimal branch name.`
const [branchInvalid, tagInvalid] = ['Branch name is invalid', 'Tag name invalid']
const illegal = (ref: string) => `Pushing to ${ref} is not allowed.`

test.each([
  [created('refs/heads/main'), null],
  [created(`refs/heads/${'a'.repeat(39)}`), null],
  [created(`refs/heads/${'a'.repeat(40)}`), hexadecimal(40)],
  [created(`refs/heads/${'a'.repeat(64)}`), hexadecimal(64)],
  [created(`refs/heads/${'A'.repeat(40)}`), null],
  [created(`refs/heads/x${'a'.repeat(40)}`), null],
  [created(`refs/tags/${'a'.repeat(40)}`), null],
  // As long a name as behind the longer prefix of branches.
  [created(`refs/tags/${'a'.repeat(41)}`), null],
  [absent(`refs/heads/${'a'.repeat(40)}`), null],
  [changed(`refs/heads/${'a'.repeat(40)}`), null],
  [deleted(`refs/heads/${'a'.repeat(40)}`), null],
  [created('refs/heads/a..b'), branchInvalid],
  [changed('refs/heads/a..b'), branchInvalid],
  [deleted('refs/heads/a..b'), null],
  [created('refs/tags/a..b'), tagInvalid],
  [created('refs/tags/-v1'), tagInvalid],
  [deleted('refs/tags/a..b'), null],
  [created('refs/tags/v1'), null],
  [created('refs/notes/commits'), null],
  [created('refs/notes/a..b'), null],
  [created('refs/merge-requests/1/head'), illegal('refs/merge-requests/1/head')],
  [deleted('refs/pipelines/1'), illegal('refs/pipelines/1')],
])('%j: %s', (change, refusal) => expect(refusalOfName(change)).toBe(refusal))

test('all changes are checked for one fault before the next, and each sentence is said once', async () => {
  const hex = created(`refs/heads/${'b'.repeat(40)}`)
  const check = (...changes: ReturnType<typeof created>[]) => namingRule({} as never, { changes } as never)
  expect(await check(created('refs/x'), hex, hex)).toEqual([hexadecimal(40)])
  expect(await check(created('refs/x'), created('refs/heads/a..b'))).toEqual([illegal('refs/x'), branchInvalid])
  expect(await check(created('refs/heads/a..b'), created('refs/heads/c..d'))).toEqual([branchInvalid])
  expect(await check(hex)).toEqual([hexadecimal(40)])
  expect(await check(created('refs/heads/main'))).toBeNull()
})
