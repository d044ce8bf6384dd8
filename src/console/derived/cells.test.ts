import { describe, expect, test } from 'vitest'
import { schemaOf } from '../forms/schema.ts'
import { Cell } from './cells.tsx'

const text = schemaOf({ type: 'string' })
const texts = schemaOf({ type: 'array', items: { type: 'string' } })
const ofSet = schemaOf({ type: 'array', items: { type: 'string', enum: ['read_api', 'api'] } })
const shown = (cell: Parameters<typeof Cell>[0]) => Cell(cell).text
const read = (cell: Parameters<typeof Cell>[0]) => shown(cell).replace(/<[^>]*>/g, '')

describe('a value of a list', () => {
  test('is shown as it is where people have named it', () => {
    const value = ['good first issue', 'kind::bug']
    expect(read({ schema: texts, name: 'labels', value })).toBe('good first issue, kind::bug')
  })

  test('is shown in words where it is one of a set', () => {
    expect(read({ schema: ofSet, name: 'scopes', value: ['read_api'] })).toBe('Read API')
  })
})

describe('a cell', () => {
  test('has the first digits of a commit, and all of them on its page', () => {
    const value = '0123456789abcdef0123456789abcdef01234567'
    expect(read({ schema: text, name: 'sha', value })).toBe('01234567')
    expect(read({ schema: text, name: 'sha', value, isWhole: true })).toBe(value)
  })

  test('has the colour of a state of pipelines', () => {
    expect(shown({ schema: text, name: 'status', value: 'failed' })).toContain('class="status failed"')
    expect(shown({ schema: text, name: 'status', value: 'finished' })).not.toContain('class="status')
  })

  test('has the name of an event in words', () => {
    expect(read({ schema: text, name: 'event_name', value: 'add_ssh_key' })).toBe('Add SSH key')
  })

  test.each([{ value: null }, { value: '' }, { value: [] }, { value: {} }])('says that %j is nothing', ({ value }) => {
    expect(read({ schema: text, name: 'user', value })).toBe('–')
  })
})
