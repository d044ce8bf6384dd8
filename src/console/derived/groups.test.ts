import { expect, test } from 'vitest'
import { groupFields } from './groups.ts'

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

test('a form with few fields shows all, and hides what is optional when that is more', () => {
  const isLead = (name: string) => name === 'a'
  expect(groupFields(['a', 'b', 'c'], isLead)).toEqual({ lead: ['a', 'b', 'c'], groups: [] })
  const others = many('b', 5)
  expect(groupFields(['a', ...others], isLead)).toEqual({ lead: ['a'], groups: [{ title: 'More', names: others }] })
  expect(groupFields(others, isLead)).toEqual({ lead: others, groups: [] })
})

test('a form with many fields has groups by their words', () => {
  const events = ['push_events', 'tag_events', 'job_events']
  const names = ['url', ...many('ci_', 3), ...events, ...many('x', 6)]
  expect(groupFields(names, (name) => name === 'url')).toEqual({
    lead: ['url', ...many('x', 6)],
    groups: [
      { title: 'CI/CD', names: many('ci_', 3) },
      { title: 'Events', names: events },
    ],
  })
  const { lead, groups } = groupFields([...names, 'y'], (name) => name === 'url')
  expect([lead, groups.at(-1)]).toEqual([['url'], { title: 'Other', names: [...many('x', 6), 'y'] }])
})
