import { expect, test } from 'vitest'
import { numberIn, type Page, type Visit } from './page.ts'
import { findPage } from './routes.ts'

const pageAt = (path: string): Page => ({ at: 'project', path, show: () => Promise.reject(new Error('not shown')) })
const pages = [
  'items/:item',
  'items/new',
  'items/:item/delete',
  'items/:item/:file',
  'tree/*where',
  'tree/:ref',
  'tree',
].map(pageAt)

test.each([
  ['items/new', 'items/new', {}],
  ['items/7', 'items/:item', { item: '7' }],
  ['items/7/delete', 'items/:item/delete', { item: '7' }],
  ['items/7/a%2Fb', 'items/:item/:file', { item: '7', file: 'a/b' }],
  ['items/new/x', 'items/:item/:file', { item: 'new', file: 'x' }],
  ['tree', 'tree', {}],
  ['tree/main', 'tree/:ref', { ref: 'main' }],
  ['tree/main/lib/%zz', 'tree/*where', { where: 'main/lib/%zz' }],
])('%s is the page %s', (address, path, params) => {
  const found = findPage(pages, 'project', address)
  expect([found?.page.path, found?.params]).toEqual([path, params])
})

test.each(['items', 'items/7/a/b', 'other', ''])('%j is no page', (address) => {
  expect(findPage(pages, 'project', address)).toBeNull()
  expect(findPage(pages, 'group', 'items/new')).toBeNull()
})

test.each([
  ['7', 7],
  ['0x10', 0],
  ['1e3', 0],
  ['-1', 0],
  ['9'.repeat(16), 0],
  [undefined, 0],
])('%s in an address is the number %i', (text, number) => {
  expect(numberIn({ params: text === undefined ? {} : { one: text } } as Visit, 'one')).toBe(number)
})
