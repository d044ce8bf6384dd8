import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { makeTag } from './make-tag.ts'
export { tagsCreate, tagsDelete, tagsGet, tagsList, tagsSignature } from './operations.ts'
export { newestTag } from './order.ts'

export const tags: Module = {
  name: 'tags',
  tags: { Tags: 'Tags of a repository.' },
  operations: Object.values(operations),
}
