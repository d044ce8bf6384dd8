import { expect, test } from 'vitest'
import { instance, nothing, operationsOf, t } from '../../api/index.ts'
import { callOfForm } from './values.ts'

const entry = t.object({
  id: t.integer(),
  _destroy: t.boolean(),
  level: t.integer(),
  name: t.string(),
})
const params = {
  title: t.required(t.string()),
  text: t.string(),
  kind: t.oneOf(['one', 'two']),
  count: t.integer(),
  clearable: t.clearable(t.integer()),
  day: t.nullable(t.date()),
  flag: t.boolean(),
  names: t.array(t.string()),
  kinds: t.array(t.oneOf(['one', 'two'])),
  entries: t.array(entry),
  inner: t.object({ text: t.string(), flag: t.boolean(), count: t.nullable(t.integer()) }),
  file: t.file(),
}

const operation = (method: 'POST' | 'PUT') =>
  operationsOf()({
    id: 'things.write',
    contract: 'x.things',
    method,
    path: '/things',
    tag: 'things',
    summary: '',
    subject: instance,
    allow: 'authenticated',
    scopes: [],
    params,
    result: [204, nothing],
    run: async () => {},
  })

test.each([
  // What is empty is absent.
  [{ title: 'a', text: '', kind: '', count: '', names: '', file: '' }, { title: 'a' }],
  // The operation says that what it needs is missing.
  [{ title: '' }, { title: '' }],
  [{ flag: 'false' }, { flag: 'false' }],
  [{ text: 'a\r\nb' }, { text: 'a\nb' }],
  [{ names: 'a\r\n b \n\n' }, { names: ['a', 'b'] }],
  [{ kinds: ['', 'one'] }, { kinds: ['one'] }],
  [{ kinds: [''] }, {}],
  [{ entries: { 0: { level: '30', name: '' }, 1: { level: '', name: '' } } }, { entries: [{ level: '30' }] }],
  [{ inner: { text: '', flag: 'false', count: '' } }, { inner: { flag: 'false' } }],
])('a creation sends what was written: %j', (fields, call) => {
  expect(callOfForm(operation('POST'), fields)).toEqual(call)
})

test.each([
  // What was emptied is cleared, as far as the parameter allows it.
  [
    { text: '', clearable: '', day: '', kinds: [''], names: '' },
    { text: '', clearable: null, day: null, kinds: [], names: [] },
  ],
  [{ count: '', kind: '', entries: { 0: { level: '' } } }, {}],
  [{ inner: { text: '', count: '' } }, { inner: { count: null } }],
  // What was empty before stays as it is.
  [{ _empty: 'text,clearable,names,flag', text: '', clearable: '', names: '', flag: 'false' }, {}],
  [
    { _empty: 'text,flag', text: 'a', flag: 'true' },
    { text: 'a', flag: 'true' },
  ],
  // Entries that are there are sent only to remove them.
  [{ entries: { 0: { id: '1' }, 1: { id: '2', _destroy: 'true' } } }, { entries: [{ id: '2', _destroy: 'true' }] }],
])('a change sends what was changed: %j', (fields, call) => {
  expect(callOfForm(operation('PUT'), fields)).toEqual(call)
})
