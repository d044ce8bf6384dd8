import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { makeTag } from './make-tag.ts'

export const tags: Module = {
  name: 'tags',
  tags: { Tags: 'Tags of a repository.' },
  operations: Object.values(operations),
}
