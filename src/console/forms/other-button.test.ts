import { expect, test } from 'vitest'
import type { Operation } from '../../api/index.ts'
import { describeButton, sentByButton } from './other-button.ts'

const operation = (id: string) => ({ id }) as Operation
const described = describeButton({
  ...{ performs: operation('drafts.create'), takes: { note: 'body', missing: 'absent' }, goesTo: '/a?b=c#draft_{id}' },
})

test('a further button sends the fields of its form under the names of its operation', () => {
  expect(sentByButton(described, operation('drafts.create'), { body: 'x' })).toEqual({
    ...{ fields: { body: 'x', note: 'x' }, goesTo: '/a?b=c#draft_{id}' },
  })
})

test('a form that another button has sent stays as it is', () => {
  expect(sentByButton(described, operation('notes.create'), { body: 'x' })).toEqual({ fields: { body: 'x' } })
})

test.each([
  undefined,
  '',
  ['a'],
  { a: 'b' },
  'a[b]=c',
  '_operation[]=drafts.create',
  '_operation=drafts.create&note[a]=b',
])('an odd description %j changes no field', (odd) => {
  expect(sentByButton(odd, operation('drafts.create'), { body: 'x' })).toEqual({ fields: { body: 'x' } })
})
